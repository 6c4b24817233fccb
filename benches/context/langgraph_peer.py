"""The ten stages through LangGraph's supervisor and swarm, with models that play a script.

Usage: langgraph_peer.py SCENARIO FILE. Writes what the model of each next agent was sent first.
"""

import sys
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langgraph_supervisor import create_supervisor
from langgraph_swarm import create_handoff_tool, create_swarm

import scenario
import transcript

# Every tool call is two steps of a graph.
STEPS_MAX = 2_000


class Script(BaseChatModel):
    """Answers with one message after the other and keeps what it was sent."""

    answers: list
    sent: list = []

    @property
    def _llm_type(self):
        return "script"

    def bind_tools(self, tools, **_):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **_):
        self.sent.append(convert_to_openai_messages(messages))
        return ChatResult(generations=[ChatGeneration(message=self.answers[len(self.sent) - 1])])


def call(name, arguments, identity, content=""):
    return AIMessage(content=content, tool_calls=[{"name": name, "args": arguments, "id": identity}])


def tools(stage):
    """The tools of a stage: they give the scripted answers in order."""
    waiting = iter(stage.tools)

    def answer(**_):
        return next(waiting)[2]

    schema = lambda *keys: {"type": "object", "properties": {key: {"type": "string"} for key in keys}}
    for name, keys in {"search": ("pattern", "path"), "read_file": ("path",), "run": ("command",)}.items():
        yield StructuredTool.from_function(answer, name=name, description=name, args_schema=schema(*keys))


def work(stage):
    return [call(name, arguments, f"{stage.task}-{position}") for position, (name, arguments, _) in enumerate(stage.tools)]


def agent_name(stage):
    return f"{stage.agent}_{stage.number}"


def swarm(request, stages):
    models, agents = [], []
    for stage, following in zip(stages, [*stages[1:], None]):
        last, more = AIMessage(content=stage.prose), []
        if following:
            last = call(f"transfer_to_{agent_name(following)}", {}, f"{stage.task}-handoff", stage.prose)
            more = [create_handoff_tool(agent_name=agent_name(following))]
        models.append(Script(answers=[*work(stage), last]))
        agents.append(create_agent(models[-1], [*tools(stage), *more], name=agent_name(stage)))
    run(create_swarm(agents, default_active_agent=agent_name(stages[0])), request)
    return [model.sent[0] for model in models[1:]]


def supervisor(request, stages, mode, prose):
    models = [Script(answers=[*work(stage), AIMessage(content=prose(stage))]) for stage in stages]
    agents = [create_agent(model, list(tools(stage)), name=agent_name(stage)) for model, stage in zip(models, stages)]
    orders = [call(f"transfer_to_{agent_name(stage)}", {}, f"{stage.task}-order") for stage in stages]
    boss = Script(answers=[*orders, AIMessage(content="All stages are done.")])
    run(create_supervisor(agents, model=boss, output_mode=mode), request)
    return [model.sent[0] for model in models[1:]]


def run(graph, request):
    graph.compile().invoke({"messages": [HumanMessage(content=request)]}, {"recursion_limit": STEPS_MAX})


def main(name, path):
    request, stages = scenario.load(name)
    said = lambda stage: stage.prose
    variants = {
        "LangGraph swarm": swarm(request, stages),
        "LangGraph supervisor, full history": supervisor(request, stages, "full_history", said),
        "LangGraph supervisor, last message": supervisor(request, stages, "last_message", said),
        # Not a filter of theirs: what the form of the handoff alone would give them.
        "… with the whole handoff as that message": supervisor(request, stages, "last_message", lambda stage: stage.handoff),
    }
    transcript.write(path, {name: [transcript.of_chat(sent) for sent in handoffs] for name, handoffs in variants.items()})


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
