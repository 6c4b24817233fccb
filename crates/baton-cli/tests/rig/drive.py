"""Runs `baton run` with real agents against a scripted model: build, failed check, feedback in the same session, pass,
verification by another session, acceptance. Usage: drive.py RIG BATON AGENT..."""
import json
import os
import re
import sys

rig_folder, baton, agents = sys.argv[1], sys.argv[2], sys.argv[3:]
sys.path.insert(0, rig_folder)
from riglib import Rig  # noqa: E402

HANDOFF = "All checks pass.\n\n```yaml\noutcome: completed\nsummary: wrote the greeting\n```"
REPORT = (
    'Read it.\n\n```json\n{"artifact_type":"verification-report","waypoint_id":"T1","criterion_verdicts":'
    '[{"criterion":"greets","verdict":"pass","evidence":["{{receipt}}"]}],"unresolved_doubts":[]}\n```'
)
SCENARIO = {
    "name": "baton-run",
    "usage": {"input": 1000, "output": 50},
    "lanes": [
        {
            "name": "verifier",
            "when": {"all": "Verify task T1"},
            "steps": [{"any_of": [
                {"when": {"all": "(?P<receipt>receipt-\\d+-\\d+)"}, "text": REPORT},
                {"text": "RIG: no receipt in the prompt"},
            ]}],
        },
        {
            "name": "builder",
            "when": {"all": "Task T1"},
            "steps": [
                {"text": "Writing.", "do": [{"write": "greet.txt", "content": "hullo\n"}]},
                {"text": HANDOFF},
                {"any_of": [
                    {"when": {"new": "checks_failed"}, "text": "Fixing.", "do": [{"shell": "echo hello > greet.txt"}]},
                    {"text": "RIG: feedback did not arrive"},
                ]},
                {"text": HANDOFF},
            ],
        },
    ],
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
[agents.default]
driver = "%s"
pass_environment = ["RIG_KEY"]
"""


def prepared(rig, agent):
    env = rig.env(agent)
    if agent == "codex":
        import run_codex
        run_codex.config(rig)
    elif agent == "gemini":
        import run_gemini
        run_gemini.settings(rig)
    elif agent == "opencode":
        import run_opencode
        env = run_opencode.env(rig)
    return env


def problems(agent):
    with Rig("baton-" + agent, SCENARIO) as rig:
        env = prepared(rig, agent)
        rig.write("repo/baton.toml", CONFIG % agent)
        git = ["git", "-c", "user.email=rig@example.invalid", "-c", "user.name=rig"]
        for command in (git + ["add", "-A"], git + ["commit", "-qm", "set up"], [baton, "trust", "--yes"],
                        [baton, "task", "add", "T1", "Greet", "--workflow", "verified", "--criterion", "greets"]):
            done = rig.run(command, env)
            if done.rc != 0:
                return ["%s: %s%s" % (command, done.out, done.err)]
        run = rig.run([baton, "run", "--json"], env, timeout=240)
        events = [json.loads(line) for line in run.out.splitlines()]
        log = rig.run([baton, "log", "T1"], env).out
        accepted = rig.run(["git", "show", "baton/accepted:greet.txt"], env).out
        found = []
        if run.rc != 0:
            found.append("it ended with %s: %s" % (run.rc, run.err))
        if accepted != "hello\n":
            found.append("accepted is %r" % accepted)
        names = [(event["event"], event.get("reason")) for event in events]
        if ("decided", "checks_failed") not in names or ("decided", "all_criteria_pass") not in names:
            found.append("decisions: %s" % [name for name in names if name[0] == "decided"])
        if not re.search(r"turn-3 started: @verifier", log):
            found.append("turn-3 is not the verifier's")
        # Who goes on in a session is sent what was said in it before.
        again = [request for request in rig.requests() if (request.get("lane") or "").startswith("builder[2")]
        if not again or "wrote the greeting" not in json.dumps(again[0].get("body")):
            found.append("the builder's session was not gone on with")
        if rig.blocked():
            found.append("tried to reach %s" % rig.blocked())
        if found:
            found.append(log)
            found.extend(event["words"] for event in events if "words" in event)
        spent = events[-1].get("spent_tokens") if events else None
        print("%s %s: %s turns, %s tokens, %.1f s" % (
            "FAIL" if found else "PASS", agent, log.count(" launched"), spent, run.secs))
        return found


failed = False
for agent in agents:
    for problem in problems(agent):
        failed = True
        print("FAIL %s %s" % (agent, problem))
sys.exit(1 if failed else 0)
