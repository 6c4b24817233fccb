"""An eight-stage workflow on DBOS, each stage kept in SQLite.

Usage: dbos_peer.py FOLDER WORKFLOWS AT_ONCE. Prints one JSON object: {"steps": N, "seconds": S}.
"""

# DBOS wants a newer SQLite than many systems have.
__import__("pysqlite3")
import sys

sys.modules["sqlite3"] = sys.modules.pop("pysqlite3")

import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dbos import DBOS

STAGES = 8
HANDOFF = "x" * 1024


def main(folder: Path, workflows: int, at_once: int) -> None:
    address = f"sqlite:///{folder / 'dbos.db'}"
    DBOS(config={"name": "bench", "system_database_url": address, "run_admin_server": False, "log_level": "ERROR"})

    @DBOS.step()
    def stage(number: int) -> str:
        return HANDOFF

    @DBOS.workflow()
    def workflow() -> int:
        for number in range(STAGES):
            stage(number)
        return STAGES

    DBOS.launch()
    try:
        assert workflow() == STAGES
        begun = time.perf_counter()
        if at_once == 1:
            for _ in range(workflows):
                workflow()
        else:
            with ThreadPoolExecutor(at_once) as pool:
                for ended in [pool.submit(workflow) for _ in range(workflows)]:
                    assert ended.result() == STAGES
        seconds = time.perf_counter() - begun
        print(json.dumps({"steps": workflows * STAGES, "seconds": seconds}))
    finally:
        DBOS.destroy()


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
