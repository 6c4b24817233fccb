"""The scenario: what each of ten stages says, sees and hands over, and which facts are planted in it.

The files in `scenarios` are written by hand; what the tools answer is made by `noise.py` from a fixed seed. Every run makes the same
bytes. Run as a program it checks each scenario and prints how its facts are spread.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import yaml

import noise

FOLDER = Path(__file__).with_name("scenarios")
FACTS_MIN = 60
# The shortest phrase, in characters, by which a fact is recognised.
PHRASE_MIN = 8

# The list of a handoff that holds a kind of fact, and the keys of its items in the order in which they are read.
KINDS = {
    "files_created": ("file", ("path", "purpose")),
    "files_modified": ("file", ("path", "description")),
    "patterns_discovered": ("pattern", ("pattern", "location", "applies_to")),
    "decisions": ("decision", ("decision", "rationale")),
    "gotchas": ("gotcha", ("issue", "discovered_in", "mitigation")),
    "open_questions": ("question", ("question", "context", "recommendation")),
    "blockers": ("blocker", ("blocker", "impact", "suggested_resolution")),
    "suggested_next_steps": ("next step", ("step",)),
}


@dataclass(frozen=True)
class Fact:
    """Something that a stage learned. `matters_to` holds the numbers of the later stages that need it."""

    id: str
    kind: str
    stage: int
    say: tuple
    other_words: str
    matters_to: tuple

    def is_in(self, text: str) -> bool:
        """Whether a text that went through `folded` says it."""
        return all(folded(phrase) in text for phrase in self.say) or bool(self.other_words) and folded(self.other_words) in text


@dataclass
class Stage:
    number: int
    task: str
    agent: str
    title: str
    prose: str
    handoff: str
    # The same once more for a referee who takes no work as complete that names a blocker: as a trap for those who follow.
    unblocked: str
    tools: list
    files: list
    facts: list = field(default_factory=list)


def folded(text: str) -> str:
    """The text in lower case, with every run of white space as one space; a line break inside a phrase hides nothing."""
    return re.sub(r"(?:\s|\\n)+", " ", text).lower()


def names():
    return sorted(file.stem for file in FOLDER.glob("*.yaml"))


def load(name):
    """Returns what the user asks for, and the stages."""
    data = yaml.safe_load((FOLDER / name).with_suffix(".yaml").read_text())
    stages = [stage(number, entry, data["stages"]) for number, entry in enumerate(data["stages"], 1)]
    return data["request"], stages


def stage(number, entry, entries):
    assert all(area in entry["title"].lower() for area in entry["areas"]), entry["title"]
    items = [(kind, item, " ".join(texts(item, keys))) for name, (kind, keys) in KINDS.items()
             for item in entry["handoff"].get(name, [])]
    facts = []
    for kind, item, text in items:
        if "fact" in item:
            planted, later = item["fact"], range(number + 1, len(entries) + 1)
            matters = tuple(one for one in later if matters_to(item, text, number, one, entries))
            identity = f"{entry['task']}/{len(facts) + 1}"
            facts.append(Fact(identity, kind, number, tuple(planted["say"]), planted.get("or", ""), matters))
    return Stage(
        number, entry["task"], entry["agent"], entry["title"], " ".join(entry["prose"].split()),
        document(entry, entry["handoff"]), document(entry, unblocked(entry["handoff"])),
        noise.tools(number, entry, items), [item["path"] for kind, item, _ in items if kind == "file"], facts)


def texts(item, keys):
    for key in keys:
        value = item.get(key, "")
        yield ", ".join(value) if isinstance(value, list) else value


def matters_to(item, text, number, later, entries):
    fact = item["fact"]
    if later > fact.get("until", len(entries)):
        return False
    # Whoever hands over to a stage names the files that it needs.
    if item.get("path") in [named["file"] for named in entries[later - 2]["handoff"].get("dependencies_for_next", [])]:
        return True
    scope = fact["for"]
    if isinstance(scope, str):
        named = entries[later - 1]["task"] in item.get("blocking_tasks", [])
        return {"all": True, "next": later == number + 1, "none": False, "named": named}[scope]
    # An area counts when the item names it, so that whoever reads the title of the stage could tell that the item belongs to it.
    named = [area for area in scope if area in text.lower()]
    assert named == scope, f"`{text}` does not name {scope}"
    return any(area in entries[later - 1]["areas"] for area in scope)


def document(entry, handoff):
    """The handoff as a task file holds it."""
    plain = {name: value if isinstance(value, str) else [{key: part for key, part in item.items() if key != "fact"} for item in value]
             for name, value in handoff.items()}
    body = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=1_000)
    return f"# Task {entry['task']}: {entry['title']}\n\n## Handoff\n\n```yaml\n{body}```\n"


def unblocked(handoff):
    traps = [{"issue": item["blocker"], "discovered_in": item["impact"], "mitigation": item["suggested_resolution"], "severity": "high"}
             for item in handoff.get("blockers", [])]
    rest = {name: value for name, value in handoff.items() if name != "blockers"}
    return {**rest, "gotchas": [*traps, *handoff.get("gotchas", [])]} if traps else rest


def check(stages):
    """Refuses a scenario that would not measure what it says."""
    facts = [fact for one in stages for fact in one.facts]
    assert len(facts) >= FACTS_MIN, len(facts)
    for one in stages:
        seen = folded(" ".join(str(call) for call in one.tools))
        for fact in one.facts:
            for phrase in fact.say:
                assert len(phrase) >= PHRASE_MIN, phrase
                assert not any(folded(phrase) in folded(before.handoff + before.prose) for before in stages[: one.number - 1]), phrase
            assert fact.is_in(folded(one.handoff)), fact
            assert fact.is_in(seen), fact
    return facts


def spread(name):
    _, stages = load(name)
    facts = check(stages)
    in_prose = [fact for fact in facts if fact.is_in(folded(stages[fact.stage - 1].prose))]
    needed = [fact for fact in facts if fact.matters_to]
    print(f"{name}: {len(facts)} facts, all in a handoff and in what a tool answered; {len(in_prose)} in prose, {len(needed)} matter later")
    for kind in dict.fromkeys(fact.kind for fact in facts):
        of_kind = [fact for fact in facts if fact.kind == kind]
        print(f"  {kind:<10} {len(of_kind):>3}, {sum(fact in in_prose for fact in of_kind):>3} in prose")
    for one in stages[1:]:
        mine = [fact for fact in facts if one.number in fact.matters_to]
        print(f"  stage {one.number:>2} needs {len(mine):>3}, {sum(fact in in_prose for fact in mine):>3} in prose,"
              f" {sum(fact.stage == one.number - 1 for fact in mine):>3} of the stage before it")


if __name__ == "__main__":
    for each in names():
        spread(each)
