"""What the tools of a stage answer: files, searches, test logs, notes. Made from a seed, with the facts of the stage where they would be.

A gotcha and a pattern stand in a comment, a decision and a next step in the notes, a question in a search for open points, a blocker in
the list of the tracker. Around them is what makes real histories long.
"""

import json
import random

# About 8,000 tokens.
CHARACTERS = 31_000
SEED = 20_260_301

NOUNS = ["berth", "member", "place", "season", "harbour", "booking", "pier", "quay", "invoice", "contract", "boat", "class", "rank",
         "owner", "notice", "window", "tariff", "deposit", "receipt", "session", "ledger", "address", "period", "transfer", "reminder", "payment"]
VERBS = ["load", "store", "count", "merge", "parse", "check", "send", "close", "open", "move", "find", "list", "assign", "release", "renew",
         "cancel", "confirm", "reserve", "settle", "export", "collect", "archive", "split", "order", "filter", "resolve"]
TYPES = ["u32", "i64", "String", "bool", "Option<u32>", "Vec<Row>", "Result<Row, Error>", "Date", "Money", "Id"]
FOLDERS = ["booking", "billing", "members", "storage", "web", "piers", "reports", "contracts"]


def tools(number, entry, items):
    """Returns the calls of a stage, in order: name, arguments, answer."""
    chance = random.Random(SEED + number)
    of = lambda kind: [item for each, item, _ in items if each == kind]
    comments = [f"{item['issue']}. {item['mitigation']}." for item in of("gotcha")] + [f"{item['pattern']}." for item in of("pattern")]
    paths = [item["path"] for item in of("file")]
    sources = [path for path in paths if not path.endswith(".md")] or ["src/booking/rules.rs"]
    old = [f"src/{folder}/{chance.choice(NOUNS)}.rs" for folder in chance.sample(FOLDERS, 3)]
    calls = [
        ("search", {"pattern": chance.choice(NOUNS), "path": "src"}, hits(chance, 70)),
        ("run", {"command": "tracker list --open"}, tracker(chance, of("blocker"))),
        ("search", {"pattern": "TODO|FIXME", "path": "."}, open_points(chance, of("question"))),
        ("read_file", {"path": f"notes/{entry['task']}.md"}, notes(entry, of("decision"), of("next step"))),
    ]
    for path in old:
        calls.append(("read_file", {"path": path}, code(chance, path, [], 3_000)))
    for position, path in enumerate(sources):
        calls.append(("read_file", {"path": path}, code(chance, path, comments[position :: len(sources)], 3_000)))
    calls.append(("run", {"command": "git diff --stat"}, stat(chance, paths)))
    left = CHARACTERS - sum(len(answer) + len(json.dumps(arguments)) for _, arguments, answer in calls)
    calls.append(("run", {"command": "cargo test"}, log(chance, left)))
    return calls


def name(chance):
    return f"{chance.choice(VERBS)}_{chance.choice(NOUNS)}"


def code(chance, path, comments, characters):
    lines = [f"//! {path.rsplit('/', 1)[-1]}: {chance.choice(VERBS)} and {chance.choice(VERBS)} each {chance.choice(NOUNS)}.", ""]
    lines += [f"use crate::{chance.choice(FOLDERS)}::{chance.choice(NOUNS)};" for _ in range(4)]
    waiting = list(comments)
    while sum(map(len, lines)) < characters or waiting:
        if waiting:
            lines += ["", f"// {waiting.pop(0)}"]
        lines += function(chance)
    return "\n".join(lines)


def function(chance):
    first, second = chance.sample(NOUNS, 2)
    limit = chance.randrange(2, 900)
    return [
        "",
        f"pub fn {name(chance)}({first}: &{first.title()}, {second}: {chance.choice(TYPES)}) -> {chance.choice(TYPES)} {{",
        f"    let {second}_{chance.choice(VERBS)} = {first}.{name(chance)}({second})?;",
        f"    if {second}_{chance.choice(VERBS)}.len() > {limit} {{",
        f"        return Err(Error::{first.title()}{second.title()}({limit}));",
        "    }",
        f"    for row in {first}.{chance.choice(NOUNS)}_rows() {{",
        f"        {second}.{name(chance)}(row.{chance.choice(NOUNS)}, row.{chance.choice(NOUNS)});",
        "    }",
        f"    Ok({second}_{chance.choice(VERBS)})",
        "}",
    ]


def hits(chance, count):
    line = lambda: f"{place(chance)}:    let {chance.choice(NOUNS)} = {name(chance)}(&{chance.choice(NOUNS)});"
    return "\n".join(line() for _ in range(count))


def place(chance):
    return f"src/{chance.choice(FOLDERS)}/{chance.choice(NOUNS)}.rs:{chance.randrange(3, 400)}"


def tracker(chance, blockers):
    rows = [f"{item['blocker']}. {item['impact']}. {item['suggested_resolution']}." for item in blockers]
    rows += [f"{chance.choice(VERBS).title()} the {chance.choice(NOUNS)} before the {chance.choice(NOUNS)}" for _ in range(18)]
    chance.shuffle(rows)
    return "\n".join(f"#{chance.randrange(200, 900)}  open  {row}" for row in rows)


def open_points(chance, questions):
    rows = [f"{item['question']} {item['context']}. {item['recommendation']}." for item in questions]
    rows += [f"{chance.choice(VERBS)} the {chance.choice(NOUNS)} only once" for _ in range(14)]
    chance.shuffle(rows)
    return "\n".join(f"{place(chance)}:    // TODO: {row}" for row in rows)


def notes(entry, decisions, steps):
    lines = [f"# Notes of {entry['task']}", "", "## Decided"]
    lines += [f"- {item['decision']}. {item['rationale']}." for item in decisions]
    lines += ["", "## Left"] + [f"- {item['step']}" for item in steps]
    return "\n".join(lines)


def stat(chance, paths):
    return "\n".join(f" {path:<44} | {chance.randrange(8, 300):>4} {'+' * chance.randrange(3, 30)}" for path in paths)


def log(chance, characters):
    lines = ["   Compiling moorings v0.9.2", "    Finished `test` profile in 21.40s", "     Running unittests src/lib.rs", ""]
    while sum(len(line) + 1 for line in lines) < characters - 90:
        lines.append(f"test {chance.choice(FOLDERS)}::{chance.choice(NOUNS)}::{name(chance)}_{chance.choice(NOUNS)} ... ok")
    count = len(lines) - 4
    return "\n".join([*lines, "", f"test result: ok. {count} passed; 0 failed; 0 ignored; finished in {chance.randrange(2, 30)}.04s"])
