"""The ten stages through the OpenAI Agents SDK, with models that play a script: as it comes, and with each filter that it ships.

Usage: openai_peer.py SCENARIO FILE. Writes what the model of each next agent was sent first.
"""

import asyncio
import json
import sys
from copy import deepcopy
from pathlib import Path

from agents import Agent, FunctionTool, ModelResponse, RunConfig, Runner, Usage, handoff, set_tracing_disabled
from agents.extensions import ToolOutputTrimmer
from agents.extensions.handoff_filters import remove_all_tools
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import scenario
import transcript

TURNS_MAX = 1_000


class Script(Model):
    """Answers with one list of items after the other and keeps what it was sent."""

    def __init__(self, answers):
        self.answers, self.sent = answers, []

    async def get_response(self, system_instructions, input, *_, **__):
        items = [{"role": "user", "content": input}] if isinstance(input, str) else deepcopy(input)
        self.sent.append(items)
        return ModelResponse(output=self.answers[len(self.sent) - 1], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


def message(stage):
    text = ResponseOutputText(text=stage.prose, type="output_text", annotations=[])
    return ResponseOutputMessage(id=f"m-{stage.task}", content=[text], role="assistant", status="completed", type="message")


def call(name, arguments, identity):
    return ResponseFunctionToolCall(name=name, arguments=json.dumps(arguments), call_id=identity, type="function_call")


def agent_name(stage):
    return f"{stage.agent}_{stage.number}"


def tools(stage):
    waiting = iter(stage.tools)

    async def answer(*_):
        return next(waiting)[2]

    schema = {"type": "object", "properties": {}, "additionalProperties": True}
    return [FunctionTool(name=name, description=name, params_json_schema=schema, on_invoke_tool=answer, strict_json_schema=False)
            for name in ("search", "read_file", "run")]


def play(request, stages, **settings):
    following, models = None, []
    for stage in reversed(stages):
        answers = [[call(name, arguments, f"{stage.task}-{position}")] for position, (name, arguments, _) in enumerate(stage.tools)]
        last = [message(stage)]
        if following:
            last.append(call(f"transfer_to_{following.name}", {}, f"{stage.task}-handoff"))
        models.insert(0, Script([*answers, last]))
        following = Agent(name=agent_name(stage), model=models[0], tools=tools(stage), handoffs=[handoff(following)] if following else [])
    asyncio.run(Runner.run(following, request, max_turns=TURNS_MAX, run_config=RunConfig(**settings)))
    return [model.sent[0] for model in models[1:]]


def main(name, path):
    set_tracing_disabled(True)
    request, stages = scenario.load(name)
    variants = {
        "OpenAI Agents, default": {},
        "OpenAI Agents, nested history": {"nest_handoff_history": True},
        "OpenAI Agents, old tool output trimmed": {"call_model_input_filter": ToolOutputTrimmer()},
        "OpenAI Agents, all tools removed": {"handoff_input_filter": remove_all_tools},
    }
    sent = {name: play(request, stages, **settings) for name, settings in variants.items()}
    transcript.write(path, {name: [transcript.of_responses(items) for items in handoffs] for name, handoffs in sent.items()})


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
