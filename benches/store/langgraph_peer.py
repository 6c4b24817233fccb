"""An eight-stage workflow on LangGraph, its state kept in SQLite after each stage.

Usage: langgraph_peer.py FOLDER WORKFLOWS AT_ONCE. Prints one JSON object: {"steps": N, "seconds": S}.
"""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph

STAGES = 8
HANDOFF = "x" * 1024


class State(TypedDict):
    stage: int
    handoff: str


async def work(state: State) -> State:
    return {"stage": state["stage"] + 1, "handoff": HANDOFF}


def graph(checkpointer):
    builder = StateGraph(State)
    names = [f"stage{number}" for number in range(STAGES)]
    for name in names:
        builder.add_node(name, work)
    for before, after in zip([START, *names], [*names, END]):
        builder.add_edge(before, after)
    return builder.compile(checkpointer=checkpointer)


async def main(folder: Path, workflows: int, at_once: int) -> None:
    async with AsyncSqliteSaver.from_conn_string(str(folder / "langgraph.db")) as saver:
        app = graph(saver)
        limit = asyncio.Semaphore(at_once)

        async def one(number: int) -> None:
            async with limit:
                config = {"configurable": {"thread_id": str(number)}}
                ended = await app.ainvoke({"stage": 0, "handoff": ""}, config, durability="sync")
                assert ended["stage"] == STAGES

        await one(-1)
        begun = time.perf_counter()
        if at_once == 1:
            for number in range(workflows):
                await one(number)
        else:
            await asyncio.gather(*(one(number) for number in range(workflows)))
        seconds = time.perf_counter() - begun
    print(json.dumps({"steps": workflows * STAGES, "seconds": seconds}))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
