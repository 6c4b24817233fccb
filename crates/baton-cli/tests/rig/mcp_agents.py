"""Real agents against a scripted model, with `baton mcp` as their server: each takes a task, fails its check, hears of it, repairs it and
is accepted; the log knows which session it was. `lie:AGENT` passes its check and claims a file
that does not exist: it hears of that, corrects its handoff and is accepted. Usage: mcp_agents.py RIG BATON AGENT..."""
import json
import sys

rig_folder, baton, agents = sys.argv[1], sys.argv[2], sys.argv[3:]
sys.path.insert(0, rig_folder)
import run_codex  # noqa: E402
import run_gemini  # noqa: E402
import run_opencode  # noqa: E402
from riglib import Rig  # noqa: E402

HANDOFF = "```yaml\noutcome: completed\nsummary: the tides are printed in tides.txt\n```\n"
CONFIG = """[checks.validation]
run = ["grep", "-q", "low", "tides.txt"]
"""
SUBMIT = {"mcp": "baton.submit", "args": {"task": "T1", "document": HANDOFF}}
RECEIVE = {"mcp": "baton.receive", "args": {"task": "T1"}}
SCENARIO = {
    "name": "baton-mcp",
    "usage": {"input": 1000, "output": 50},
    "steps": [
        {"do": [RECEIVE]},
        {"any_of": [{"when": {"new": "turn-1 as @builder"}, "do": [{"write": "tides.txt", "content": "06:12 high\n"}]}, {"text": "RIG: no turn"}]},
        {"do": [SUBMIT]},
        {"any_of": [{"when": {"new": "validation: fail"}, "do": [RECEIVE]}, {"text": "RIG: no feedback"}]},
        {"any_of": [{"when": {"new": "turn-2 as @builder"}, "do": [{"shell": "echo '06:12 low' > {{cwd}}/tides.txt"}]}, {"text": "RIG: no second turn"}]},
        {"do": [SUBMIT]},
        {"any_of": [{"when": {"new": "accept because of"}, "text": "BATON-ACCEPTED"}, {"text": "RIG: not accepted"}]},
    ],
}
CREATED = "```yaml\noutcome: completed\nsummary: the tides are printed\nfiles_created:\n  - {path: tides.txt, purpose: has the tides}\n%s```\n"
TRUTH, LIE = CREATED % "", CREATED % "  - {path: ebb.txt, purpose: has the ebb}\n"


def submit(document):
    return {"mcp": "baton.submit", "args": {"task": "T1", "document": document}}


LYING = {
    "name": "baton-mcp-lie",
    "usage": {"input": 1000, "output": 50},
    "steps": [
        {"do": [RECEIVE]},
        {"do": [{"write": "tides.txt", "content": "06:12 low\n"}]},
        {"do": [submit(LIE)]},
        {"any_of": [{"when": {"new": "BT1001[\\s\\S]*ebb\\.txt"}, "do": [RECEIVE]}, {"text": "RIG: the claim and its code did not arrive"}]},
        {"do": [submit(TRUTH)]},
        {"any_of": [{"when": {"new": "accept because of"}, "text": "BATON-ACCEPTED"}, {"text": "RIG: not accepted"}]},
    ],
}
PROMPT = "Take T1 from Baton and finish it"
# How the names of sessions begin, as docs/reference/mcp.md says.
SESSIONS = {"claude": "claude-", "codex": "codex-", "gemini": "gemini-cli-mcp-client", "opencode": "opencode-"}
failed = []


def told(name, good, detail=""):
    print("%s %s%s" % ("PASS" if good else "FAIL", name, " -- %s" % (detail,) if detail else ""))
    if not good:
        failed.append(name)


def start(rig, agent):
    """Starts an agent with its own way to name a server, and returns its run."""
    if agent == "claude":
        servers = rig.write("mcp.json", {"mcpServers": {"baton": {"type": "stdio", "command": baton, "args": ["mcp"]}}})
        allowed = "mcp__baton__receive,mcp__baton__submit,Bash"
        argv = ["claude", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"]
        return argv + ["--mcp-config", servers, "--strict-mcp-config", "--allowedTools", allowed, "--", PROMPT], rig.env("claude")
    if agent == "codex":
        entry = '[mcp_servers.baton]\ncommand = "%s"\nargs = ["mcp"]\ndefault_tools_approval_mode = "approve"\n' % baton
        env = rig.env("codex")
        run_codex.config(rig, entry)
        return run_codex.EXEC + [PROMPT], env
    if agent == "gemini":
        run_gemini.settings(rig, mcpServers={"baton": {"command": baton, "args": ["mcp"], "trust": True}})
        return ["gemini", "-p", PROMPT, "-o", "json", "--approval-mode", "yolo"], rig.env("gemini")
    servers = {"baton": {"type": "local", "command": [baton, "mcp"], "enabled": True}}
    return run_opencode.RUN + [PROMPT], run_opencode.env(rig, mcp=servers)


for case in agents:
    is_lie, agent = case.startswith("lie:"), case.removeprefix("lie:")
    with Rig("baton-mcp-" + agent, LYING if is_lie else SCENARIO) as rig:
        argv, env = start(rig, agent)
        rig.write("repo/baton.toml", CONFIG)
        plain = rig.env()
        rig.run([baton, "trust", "--yes"], plain)
        rig.run([baton, "task", "add", "T1", "Print the tides", "--workflow", "single"], plain)
        run = rig.run(argv, env, timeout=240)
        told("%s: the model hears that it is accepted" % agent, "BATON-ACCEPTED" in run.out, (run.out + run.err)[-300:] if "BATON-ACCEPTED" not in run.out else "")
        log = rig.run([baton, "log", "T1"], plain).out
        who = sorted({line.split("agent ")[1].split()[0] for line in log.splitlines() if " agent " in line})
        told("%s: one session" % agent, len(who) == 1 and who[0].startswith(SESSIONS[agent]), who)
        status = json.loads(rig.run([baton, "status", "--json"], plain).out or "{}").get("tasks", [{}])[0].get("status")
        told("%s: the task is done, and nobody verified it" % agent, status == "done-unverified", status)
        if is_lie:
            told("%s: the lie was sent back once" % agent, log.count("decided: rework") == 1, log)
sys.exit(1 if failed else 0)
