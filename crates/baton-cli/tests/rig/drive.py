"""Runs `baton run` with real agents against a scripted model: build, failed check, feedback in the same session, pass,
verification by another session, acceptance. Usage: drive.py RIG BATON AGENT...
An agent is `claude`, `codex`, `gemini`, `opencode`, or one that speaks ACP, such as `acp-gemini`. `lie:AGENT` claims a file that
doesn't exist, beside work that passes its check: it is sent back, corrects its handoff, and is accepted. `plan:AGENT` is asked
for its build plan first: a bad one goes back, a good one is taken, and the same session does the work."""
import json
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

rig_folder, baton, agents = sys.argv[1], sys.argv[2], sys.argv[3:]
sys.path.insert(0, rig_folder)
import run_codex  # noqa: E402
import run_gemini  # noqa: E402
import run_opencode  # noqa: E402
from riglib import Rig  # noqa: E402

# Agents at work at the same time.
SIDE_BY_SIDE = 2
RUN_SECONDS_MAX = 240
# Says that it can load a session, and mostly fails: it begins anew then, and has to be told everything.
FORGETFUL = ["acp-gemini"]
# What a call of the model counts: what came from the cache is apart from the input of Anthropic's, and part of all others'.
CALL_TOKENS = {"claude": 1050, "acp-claude": 1050, "acp-gemini": 1050}
CALL_TOKENS_USUAL = 650
# Calls that a turn takes at least; some tell of the last one alone.
CALLS_MIN = {"acp-opencode": 1}
CALLS_MIN_USUAL = 2
HANDOFF = "All checks pass.\n\n```yaml\noutcome: completed\nsummary: wrote the greeting in greet.txt\n```"
REPORT = (
    'Read it.\n\n```json\n{"artifact_type":"verification-report","waypoint_id":"T1","criterion_verdicts":'
    '[{"criterion":"greets","verdict":"%s","evidence":["{{receipt}}"]}],"unresolved_doubts":[]}\n```'
)
CREATED = "Done.\n\n```yaml\noutcome: completed\nsummary: wrote the greeting\nfiles_created:\n%s```"
TRUTH = CREATED % "  - {path: greet.txt, purpose: greets}\n"
LIE = CREATED % "  - {path: greet.txt, purpose: greets}\n  - {path: welcome.txt, purpose: welcomes}\n"
# Whoever has a shell tries to change what it judges before it reads it.
SPOIL = {"shell": "echo spoiled > {{cwd}}/greet.txt; cat {{cwd}}/greet.txt"}
READ = {"read": "greet.txt"}


def scenario(look):
    """Calls without tools are for titles and for choosing a model, and no turn of the script."""
    return {
        "name": "baton-run",
        "usage": {"input": 1000, "output": 50, "cache_read": 400},
        "lanes": [
            {
                "name": "verifier",
                "when": {"has_tools": True, "all": "independent verifier.*for task T1.*(?P<receipt>receipt-\\d+-\\d+)"},
                "steps": [
                    {"text": "Reading.", "do": [look]},
                    {"any_of": [
                        {"when": {"last_result": "hello"}, "text": REPORT % "pass"},
                        {"text": REPORT % "fail"},
                    ]},
                ],
            },
            {
                "name": "builder",
                "when": {"has_tools": True, "all": "(for|Plan) task T1"},
                "steps": [
                    {"text": "Writing.", "do": [{"write": "greet.txt", "content": "hullo\n"}]},
                    {"text": HANDOFF},
                    {"any_of": [
                        {"when": {"new": "Validation Failed"}, "text": "Fixing.",
                         "do": [{"shell": "echo hello > {{cwd}}/greet.txt"}]},
                        {"text": "RIG: feedback did not arrive"},
                    ]},
                    {"text": HANDOFF},
                ],
            },
        ],
    }


LYING = {
    "name": "baton-run-lie",
    "usage": {"input": 1000, "output": 50, "cache_read": 400},
    "lanes": [{
        "name": "builder",
        "when": {"has_tools": True, "all": "(for|Plan) task T1"},
        "steps": [
            {"text": "Writing.", "do": [{"write": "greet.txt", "content": "hello\n"}]},
            {"text": LIE},
            {"any_of": [
                {"when": {"new": "BT1001[\\s\\S]*welcome\\.txt"}, "text": TRUTH},
                {"text": "RIG: the claim and its code did not arrive"},
            ]},
        ],
    }],
}


PLAN = 'I read it.\n\n```json\n{"artifact_type":"build-plan","waypoint_id":"T1","file_targets":["greet.txt"],' \
    '"validation_plan":[%s],"criterion_coverage":{"greets":"greet.txt, shown by the check"},"budget":{"tokens":9000}}\n```'
PLANNING = {
    "name": "baton-run-plan",
    "usage": {"input": 1000, "output": 50, "cache_read": 400},
    "lanes": [{
        "name": "builder",
        "when": {"has_tools": True, "all": "(for|Plan) task T1"},
        "steps": [
            {"text": "Reading.", "do": [{"read": "baton.toml"}]},
            {"text": PLAN % ""},
            {"any_of": [
                {"when": {"new": "has no validation"}, "text": "Reading.", "do": [{"read": "baton.toml"}]},
                {"text": "RIG: the reason did not arrive"},
            ]},
            {"text": PLAN % '"grep hello greet.txt"'},
            {"any_of": [
                {"when": {"new": "Baton took your plan"}, "text": "Writing.",
                 "do": [{"write": "greet.txt", "content": "hello\n"}]},
                {"text": "RIG: the order to work did not arrive"},
            ]},
            {"text": TRUTH},
        ],
    }],
}


CONFIG = """[checks.validation]
run = ["grep", "-q", "hello", "greet.txt"]
[workflows.verified]
integration = "merge"
[[workflows.verified.stages]]
name = "build"
agent = "builder"
checkpoints = ["validation"]
review = "verifier"
[workflows.alone]
integration = "merge"
[[workflows.alone.stages]]
name = "build"
agent = "builder"
checkpoints = ["validation"]
[workflows.planned]
integration = "merge"
[[workflows.planned.stages]]
name = "build"
agent = "builder"
plan = "required"
checkpoints = ["validation"]
[agents.default]
pass_environment = ["RIG_KEY", "MODEL_PROVIDER", "npm_config_registry"]
"""


def prepared(rig, agent):
    """Returns the environment of an agent, and the lines that name it in `baton.toml`."""
    family = agent.removeprefix("acp-")
    lines = 'driver = "%s"\n' % agent
    if family == "opencode":
        env = run_opencode.env(rig)
    elif family == "codex":
        # With a key in the environment Codex would not ask its provider of the rig.
        env = rig.env("codex") if agent == "codex" else rig.env(
            "codex", CODEX_API_KEY="dummy", OPENAI_API_KEY="dummy", MODEL_PROVIDER="rig")
        run_codex.config(rig)
    else:
        env = rig.env(family)
        if family == "gemini":
            run_gemini.settings(rig)
    if agent.startswith("acp-"):
        program, arguments = {"gemini": ("gemini", ["--acp"]), "opencode": ("opencode", ["acp"]),
                              "claude": ("claude-agent-acp", []), "codex": ("codex-acp", [])}[family]
        program = shutil.which(program, path=env["PATH"]) or program
        lines = 'driver = "acp"\nprogram = "%s"\narguments = %s\n' % (program, json.dumps(arguments))
    return env, lines


def problems(rig, agent, run, events):
    """Returns what is not as it should be."""
    env = rig.env()
    log = rig.run([baton, "log", "T1"], env).out
    found = []
    if run.rc != 0:
        found.append("it ended with %s: %s" % (run.rc, run.err))
    accepted = rig.run(["git", "show", "baton/accepted:greet.txt"], env).out
    if accepted != "hello\n":
        found.append("accepted is %r" % accepted)
    names = [(event["event"], event.get("reason")) for event in events]
    if ("decided", "checks_failed") not in names or ("decided", "all_criteria_pass") not in names:
        found.append("decisions: %s" % [name for name in names if name[0] == "decided"])
    if not re.search(r"turn-3 started: @verifier", log):
        found.append("turn-3 is not the verifier's")
    # Who goes on in a session is sent what was said in it before. Without the whole task it would not be the builder's lane.
    again = [request for request in rig.requests() if (request.get("lane") or "").startswith("builder[2")]
    remembers = again and "wrote the greeting" in json.dumps(again[0].get("body"))
    if not again or not remembers and agent not in FORGETFUL:
        found.append("the builder's session was not gone on with")
    call, calls = CALL_TOKENS.get(agent, CALL_TOKENS_USUAL), CALLS_MIN.get(agent, CALLS_MIN_USUAL)
    spent = [event.get("spent_tokens") or 0 for event in events if event["event"] in ("handed_over", "reported")]
    if not spent or any(tokens % call or tokens < calls * call for tokens in spent):
        found.append("a call counts %d tokens, and the turns cost %s" % (call, spent))
    if rig.blocked():
        found.append("tried to reach %s" % rig.blocked())
    if found:
        found.append(log)
        found.extend(event["words"] for event in events if "words" in event)
        found.extend("%s: %s" % (request.get("lane"), request.get("reply")) for request in rig.requests())
    return found


def lie_problems(rig, agent, run, events):
    """Returns what is not as it should be after a lie about a file."""
    env, found = rig.env(), []
    if run.rc != 0:
        found.append("it ended with %s: %s" % (run.rc, run.err))
    decided = [(event["disposition"], event.get("reason")) for event in events if event["event"] == "decided"]
    if [disposition for disposition, _ in decided] != ["rework", "accept"] or decided[0][1] != "claim_contradicted":
        found.append("decisions: %s" % decided)
    if rig.run(["git", "show", "baton/accepted:greet.txt"], env).out != "hello\n":
        found.append("the work is not accepted")
    if "RIG:" in json.dumps([request.get("reply") for request in rig.requests()]):
        found.append("the feedback did not reach the model")
    counted = json.loads(rig.run([baton, "metrics", "--json"], env).out)["agents"][0]
    if (counted["contradicted_claims"], counted["contradicted_turns"], counted["first_pass"]) != (1, 1, 0):
        found.append("counted: %s" % counted)
    named = rig.run([baton, "files", "--json"], env).out
    if "welcome.txt" in named or "greet.txt" not in named:
        found.append("files: %s" % named)
    if rig.blocked():
        found.append("tried to reach %s" % rig.blocked())
    if found:
        found.append(rig.run([baton, "log", "T1"], env).out)
        found.extend("%s: %s" % (request.get("lane"), request.get("reply")) for request in rig.requests())
    return found


def plan_problems(rig, agent, run, events):
    """Returns what is not as it should be where a bad plan went back and a good one was worked on."""
    env, found = rig.env(), []
    if run.rc != 0:
        found.append("it ended with %s: %s" % (run.rc, run.err))
    names = [(event["event"], event.get("ending") or event.get("reason")) for event in events]
    for wanted in (("turn_ended", "plan_refused"), ("decided", "plan_invalid"), ("planned", None)):
        if names.count(wanted) != 1:
            found.append("%s: %d times" % (wanted, names.count(wanted)))
    if rig.run(["git", "show", "baton/accepted:greet.txt"], env).out != "hello\n":
        found.append("the work is not accepted")
    if "RIG:" in json.dumps([request.get("reply") for request in rig.requests()]):
        found.append("a prompt did not reach the session")
    if rig.blocked():
        found.append("tried to reach %s" % rig.blocked())
    if found:
        found.append(rig.run([baton, "log", "T1"], env).out)
        found.extend(event["words"] for event in events if "words" in event)
        found.extend("%s: %s" % (request.get("lane"), request.get("reply")) for request in rig.requests())
    return found


# What is played beside the usual: the script of the model, the workflow, and what is looked at.
CASES = {"lie": (LYING, "alone", lie_problems), "plan": (PLANNING, "planned", plan_problems)}


def carried(case):
    """Carries a task through with an agent; returns one line, and what is not as it should be."""
    kind, agent = case.split(":") if ":" in case else (None, case)
    look = SPOIL if agent in ("codex", "acp-codex") else READ
    played, workflow, judged = CASES.get(kind) or (scenario(look), "verified", problems)
    with Rig("baton-" + agent, played) as rig:
        env, lines = prepared(rig, agent)
        rig.write("repo/baton.toml", CONFIG + lines)
        git = ["git", "-c", "user.email=rig@example.invalid", "-c", "user.name=rig"]
        for command in (git + ["add", "-A"], git + ["commit", "-qm", "set up"], [baton, "trust", "--yes"],
                        [baton, "task", "add", "T1", "Greet", "--workflow", workflow, "--criterion", "greets"]):
            done = rig.run(command, env)
            if done.rc != 0:
                return "FAIL %s" % case, ["%s: %s%s" % (command, done.out, done.err)]
        run = rig.run([baton, "run", "--json"], env, timeout=RUN_SECONDS_MAX)
        events = [json.loads(line) for line in run.out.splitlines() if line.startswith("{")]
        found = judged(rig, agent, run, events)
        turns = [event for event in events if event["event"] in ("handed_over", "reported")]
        spent = [event.get("spent_tokens") for event in turns]
        fences = sorted({event.get("confinement") for event in turns} - {None})
        return "%s %s: %d turns, tokens %s, %.1f s, confined by %s" % (
            "FAIL" if found else "PASS", case, len(turns), spent, run.secs, ", ".join(fences)), found


with ThreadPoolExecutor(SIDE_BY_SIDE) as hands:
    outcomes = list(zip(agents, hands.map(carried, agents)))
for agent, (line, found) in outcomes:
    print(line)
    for problem in found:
        print("FAIL %s %s" % (agent, problem))
sys.exit(1 if any(found for _, (_, found) in outcomes) else 0)
