"""Runs `baton demo --agent AGENT` with a real agent against a scripted model. Usage: demo.py RIG BATON AGENT..."""
import os
import sys

rig_folder, baton, agents = sys.argv[1], sys.argv[2], sys.argv[3:]
sys.path.insert(0, rig_folder)
import run_codex  # noqa: E402
import run_gemini  # noqa: E402
import run_opencode  # noqa: E402
from riglib import Rig  # noqa: E402

DEMO_SECONDS_MAX = 240
HANDOFF = "All tests pass.\n\n```yaml\noutcome: completed\nsummary: The low tide is said in tides.sh\n```"
REPORT = (
    'It says so.\n\n```json\n{"artifact_type":"verification-report","waypoint_id":"F010","criterion_verdicts":'
    '[{"criterion":"says-low-tide","verdict":"%s","evidence":["{{receipt}}"]}],"unresolved_doubts":[]}\n```'
)
TIDES = "#!/bin/sh\\necho \"high 00:04\"\\necho \"%s 06:12\"\\n"
SCENARIO = {
    "name": "baton-demo",
    "usage": {"input": 1000, "output": 50},
    "lanes": [
        {
            "name": "verifier",
            "when": {"has_tools": True, "all": "independent verifier.*for task F010.*(?P<receipt>receipt-\\d+-\\d+)"},
            "steps": [
                {"text": "Reading.", "do": [{"read": "tides.sh"}]},
                {"any_of": [
                    {"when": {"last_result": "low 06:12"}, "text": REPORT % "pass"},
                    {"text": REPORT % "fail"},
                ]},
            ],
        },
        {
            "name": "builder",
            "when": {"has_tools": True, "all": "builder .*for task F010"},
            "steps": [
                {"text": "Writing.", "do": [{"shell": "printf '%s' > {{cwd}}/tides.sh" % (TIDES % "tide")}]},
                {"text": HANDOFF},
                {"any_of": [
                    {"when": {"new": "Validation Failed"}, "text": "Fixing.",
                     "do": [{"shell": "printf '%s' > {{cwd}}/tides.sh" % (TIDES % "low")}]},
                    {"text": "RIG: feedback did not arrive"},
                ]},
                {"text": HANDOFF},
            ],
        },
    ],
}
STEPS = ["tests fail", "rework: checks_failed", "tests pass", "reports 1 of 1", "gate release",
         "accept: all_criteria_pass", "is on baton/accepted", "hold together"]


def prepared(rig, agent):
    if agent == "opencode":
        return run_opencode.env(rig)
    env = rig.env(agent)
    if agent == "codex":
        # The demonstration passes on what Codex usually needs, and no key of a rig.
        run_codex.config(rig)
        config = os.path.join(rig.dir, "home/.codex/config.toml")
        with open(config) as file:
            text = file.read().replace("RIG_KEY", "OPENAI_API_KEY")
        with open(config, "w") as file:
            file.write(text)
        env["OPENAI_API_KEY"] = "dummy"
    elif agent == "gemini":
        run_gemini.settings(rig)
    return env


def shown(agent):
    """Returns what the demonstration shows, and the first step that is not in its place."""
    with Rig("demo-" + agent, SCENARIO) as rig:
        run = rig.run([baton, "demo", "--agent", agent, "--into", os.path.join(rig.dir, "demo")],
                      prepared(rig, agent), timeout=DEMO_SECONDS_MAX)
        rest = run.out
        for step in STEPS:
            if step not in rest:
                return run.out + run.err, "`%s` is not in its place" % step
            rest = rest[rest.index(step):]
        wrong = "it ended with %s" % run.rc if run.rc else "tried to reach %s" % rig.blocked() if rig.blocked() else None
        return run.out, wrong


failed = False
for agent in agents:
    text, wrong = shown(agent)
    act = text[text.find("── Agents at work"):]
    print("%s demo --agent %s%s\n%s" % ("FAIL" if wrong else "PASS", agent, ": " + wrong if wrong else "", act))
    failed = failed or bool(wrong)
sys.exit(1 if failed else 0)
