"""Counts tokens and facts of everything that was sent, with one tokenizer.

Usage: judge.py SCENARIO FOLDER. Reads every JSON file there and prints one object: `{"scenario": …, "contestants": [{"name", "handoffs"}]}`.
"""

import json
import sys
from pathlib import Path

import bpe_openai

import scenario

# What a provider puts around each message.
FRAME_TOKENS = 4

ENCODING = bpe_openai.get_encoding("o200k_base")


def tokens(text):
    return len(ENCODING.encode_ordinary(text))


def judged(messages, stage, facts):
    """What the agent of a stage was sent: its cost, and which of the facts it holds."""
    text = scenario.folded("\n".join(message["text"] for message in messages))
    known = [fact for fact in facts if fact.stage < stage]
    needed = [fact for fact in known if stage in fact.matters_to]
    return {
        "stage": stage,
        "tokens": sum(tokens(message["text"]) + FRAME_TOKENS for message in messages),
        "needed": len(needed),
        "present": sum(fact.is_in(text) for fact in needed),
        "extra": sum(fact.is_in(text) for fact in known if fact not in needed),
        "missing": [f"{fact.id} {fact.kind}: {', '.join(fact.say)}" for fact in needed if not fact.is_in(text)],
    }


def described(stages, facts):
    in_prose = sum(fact.is_in(scenario.folded(stages[fact.stage - 1].prose)) for fact in facts)
    mean = lambda count: round(sum(map(count, stages)) / len(stages))
    return {
        "facts": len(facts),
        "in_prose": in_prose,
        "tool_tokens": mean(lambda stage: sum(tokens(answer) for _, _, answer in stage.tools)),
        "prose_tokens": mean(lambda stage: tokens(stage.prose)),
        "handoff_tokens": mean(lambda stage: tokens(stage.handoff)),
    }


def main(name, folder):
    _, stages = scenario.load(name)
    facts = scenario.check(stages)
    contestants = []
    for file in sorted(folder.glob("*.json")):
        for name, handoffs in json.loads(file.read_text()).items():
            contestants.append({"name": name, "handoffs": [judged(messages, stage, facts) for stage, messages in enumerate(handoffs, 2)]})
    print(json.dumps({"scenario": described(stages, facts), "contestants": contestants}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
