"""Settings of a repository that real agents obey when they start: nothing fires before a person trusts them, and one byte
more asks again. Usage: trust.py RIG BATON AGENT..., where an agent is `claude` or `gemini`."""
import json
import os
import sys

rig_folder, baton, agents = sys.argv[1], sys.argv[2], sys.argv[3:]
sys.path.insert(0, rig_folder)
import run_gemini  # noqa: E402
from riglib import Rig  # noqa: E402

RUN_SECONDS_MAX = 240
UNTRUSTED = 7
HANDOFF = "Done.\n\n```yaml\noutcome: completed\nsummary: looked\n```"
SCENARIO = {"name": "trust", "usage": {"input": 10, "output": 5}, "steps": [{"text": HANDOFF}], "after": {"text": HANDOFF}}
PLACES = {"claude": ".claude/settings.json", "gemini": ".gemini/settings.json"}


def carried(agent):
    """Returns what is not as it should be."""
    with Rig("trust-" + agent, SCENARIO) as rig:
        env = rig.env(agent)
        if agent == "gemini":
            run_gemini.settings(rig)
        # Where the agent may write in its turn: its own settings lie there.
        canary = os.path.join(env["HOME"], "." + agent, "canary")
        hook = {"type": "command", "command": "touch " + canary}
        settings = json.dumps({"hooks": {"SessionStart": [{"matcher": "*" if agent == "gemini" else "", "hooks": [hook]}]}})
        git = ["git", "-c", "user.email=rig@example.invalid", "-c", "user.name=rig"]

        def committed(text):
            rig.write("repo/" + PLACES[agent], text)
            for command in (git + ["add", "-A"], git + ["commit", "-qm", "settings"]):
                assert rig.run(command, env).rc == 0

        def run():
            return rig.run([baton, "run", "--agent", agent], env, timeout=RUN_SECONDS_MAX)

        found = []
        committed(settings)
        rig.run([baton, "task", "add", "T1", "Look", "--workflow", "session"], env)
        for what, text in (("untrusted", None), ("one byte more", settings + "\n")):
            if text:
                rig.run([baton, "trust", "--yes"], env)
                committed(text)
            refused = run()
            if refused.rc != UNTRUSTED or PLACES[agent] not in refused.err:
                found.append("%s: ended with %s: %s" % (what, refused.rc, refused.err))
            if os.path.exists(canary) or rig.requests():
                found.append("%s: something was started" % what)
        trusted = rig.run([baton, "trust", "--yes"], env)
        if canary not in trusted.err:
            found.append("trust does not show the command: %s" % trusted.err)
        done = run()
        # The control: the same settings do fire once they are trusted.
        if not os.path.exists(canary):
            found.append("trusted, and it did not fire: %s%s" % (done.out, done.err))
        return found


failed = False
for agent in agents:
    found = carried(agent)
    failed |= bool(found)
    print(("FAIL" if found else "PASS") + " trust " + agent, *found, sep="\n  ")
sys.exit(failed)
