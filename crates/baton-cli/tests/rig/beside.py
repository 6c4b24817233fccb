"""Real agents with the hooks that `baton init` writes, against a scripted model: a bad handoff comes back, is repaired and
accepted; a file that does not exist is a lie that is
corrected; one that is never repaired goes to the inbox after three times; an honest one goes at once; sub-agents; and work
that goes from one vendor to the other and back. Usage: beside.py RIG BATON CASE..."""
import json
import os
import shutil
import subprocess
import sys
import time

rig_folder, baton, cases = sys.argv[1], sys.argv[2], sys.argv[3:]
sys.path.insert(0, rig_folder)
from riglib import Rig, free_port, http  # noqa: E402


def handoff(path, more=""):
    return "Done.\n\n```yaml\noutcome: completed\nsummary: wrote a greeting\nfiles_created:\n  - {path: %s, purpose: greets}\n%s```\n" % (path, more)


LIE, TRUTH = handoff("welcome.txt"), handoff("greet.txt", "gotchas:\n  - {issue: greet.txt must stay short, severity: high}\n")
BOTH = TRUTH.replace("files_created:\n", "files_created:\n  - {path: welcome.txt, purpose: welcomes}\n")
WRITE = {"text": "Writing.", "do": [{"write": "greet.txt", "content": "hello\n"}]}
NEVER = {"text": "RIG: what was expected did not come"}


def when(words, text):
    return {"any_of": [{"when": {"new": words}, "text": text}, NEVER]}


REPAIRED = {"name": "repaired", "steps": [WRITE, {"text": "All done!"}, when("Attempt 1 of 3[\\s\\S]*no handoff|no handoff", LIE), when("BT1001[\\s\\S]*welcome.txt", TRUTH)],
            "after": {"text": "RIG: went on after the end"}}
LYING = {"name": "lie", "steps": [WRITE, {"text": BOTH}, when("BT1001[\\s\\S]*welcome\\.txt", TRUTH)], "after": {"text": "RIG: went on after the end"}}
NEVER_REPAIRED = {"name": "never", "steps": [WRITE], "after": {"text": LIE}}
HONEST = {"name": "honest", "steps": [WRITE, {"text": TRUTH}], "after": {"text": "RIG: went on after the end"}}


def prepared(rig, agent):
    """The agent as a new user has it, after `baton init`."""
    tools = rig.mkdir("tools")
    os.symlink(baton, os.path.join(tools, "baton"))
    if agent == "codex":
        import run_codex
        env = rig.env(agent)
        run_codex.config(rig)
    elif agent == "gemini":
        import run_gemini
        env = rig.env(agent)
        run_gemini.settings(rig)
    elif agent == "opencode":
        import run_opencode
        env = run_opencode.env(rig)
    else:
        env = rig.env(agent)
    env["PATH"] = tools + ":" + env["PATH"]
    # Without the MCP entry: this is about hooks, and the scripted model offers no server.
    told = rig.run(["baton", "init", "--agent", agent], env)
    assert told.rc == 0, told.err
    for name in (".mcp.json", ".codex/config.toml", "opencode.json"):
        path = os.path.join(rig.repo, name)
        if os.path.exists(path):
            os.unlink(path)
    if agent == "gemini":
        path = os.path.join(rig.repo, ".gemini/settings.json")
        settings = json.load(open(path))
        settings.pop("mcpServers", None)
        json.dump(settings, open(path, "w"))
    return env


# The prompt comes last, or where %s stands.
COMMANDS = {
    "claude": ["claude", "-p", "%s", "--output-format", "json", "--permission-mode", "acceptEdits", "--allowedTools", "Write,Edit,Bash,Agent"],
    "codex": ["codex", "exec", "--json", "--dangerously-bypass-hook-trust"],
    "gemini": ["gemini", "--approval-mode", "yolo", "-o", "json", "-p"],
}


def run(rig, env, agent, prompt="Greet the harbour"):
    command = COMMANDS[agent]
    command = [prompt if part == "%s" else part for part in command] if "%s" in command else command + [prompt]
    return rig.run(command, env, timeout=180)


def baton_says(rig, env, *args):
    told = rig.run(["baton"] + list(args), env)
    return told.out + told.err


def expect(found, what, holds, *details):
    if not holds:
        found.append("%s: %s" % (what, " | ".join(str(detail)[-900:] for detail in details)))


def ends(rig):
    return [request.get("reply", {}).get("text", "") for request in rig.requests() if "main" in (request.get("lane") or "")]


def repaired(agent):
    found = []
    with Rig("beside-" + agent, REPAIRED) as rig:
        env = prepared(rig, agent)
        done = run(rig, env, agent)
        status, log = baton_says(rig, env, "status"), baton_says(rig, env, "log")
        expect(found, "exit code", done.rc == 0, done.rc, done.err)
        expect(found, "accepted", "done-unverified" in status, status, log, done.out)
        expect(found, "sent back twice", log.count("decided: rework") == 2, log)
        expect(found, "nobody waited in vain", "RIG:" not in json.dumps([row.get("reply") for row in rig.requests()]), done.out)
        expect(found, "loopback only", not rig.blocked(), rig.blocked())
    return found


def lie(agent):
    """A file that doesn't exist, in a handoff that is otherwise true."""
    found = []
    with Rig("beside-" + agent, LYING) as rig:
        env = prepared(rig, agent)
        done = run(rig, env, agent)
        status, log = baton_says(rig, env, "status"), baton_says(rig, env, "log")
        files = baton_says(rig, env, "files")
        expect(found, "exit code", done.rc == 0, done.rc, done.err)
        expect(found, "sent back once, then accepted", log.count("decided: rework") == 1 and "done-unverified" in status, status, log)
        expect(found, "the claim and its code arrived", "RIG:" not in json.dumps([row.get("reply") for row in rig.requests()]), done.out)
        expect(found, "nobody wrote the file", "welcome.txt" not in files and "greet.txt" in files, files)
        expect(found, "loopback only", not rig.blocked(), rig.blocked())
    return found


def never(agent):
    found = []
    with Rig("beside-" + agent, NEVER_REPAIRED) as rig:
        env = prepared(rig, agent)
        done = run(rig, env, agent)
        inbox, log = baton_says(rig, env, "inbox"), baton_says(rig, env, "log")
        expect(found, "ended by itself", not done.timed_out and done.rc == 0, done.rc, done.err)
        expect(found, "in the inbox", "retries_exhausted" in inbox, inbox, log)
        expect(found, "sent back three times", log.count("decided: rework") == 3, log)
    return found


def honest(agent):
    found = []
    with Rig("beside-" + agent, HONEST) as rig:
        env = prepared(rig, agent)
        done = run(rig, env, agent)
        status, log = baton_says(rig, env, "status"), baton_says(rig, env, "log")
        expect(found, "accepted at once", "done-unverified" in status and "rework" not in log, status, log, done.err)
        expect(found, "nothing more was asked", "RIG:" not in json.dumps([row.get("reply") for row in rig.requests()]))
    return found


def question(agent):
    found = []
    with Rig("beside-" + agent, {"name": "question", "steps": [{"text": "It is 42."}], "after": {"text": "RIG: nagged"}}) as rig:
        env = prepared(rig, agent)
        done = run(rig, env, agent, "What is the answer?")
        expect(found, "nobody is nagged", done.rc == 0 and "RIG:" not in json.dumps([row.get("reply") for row in rig.requests()]), done.out)
        expect(found, "no task", "no task is here" in baton_says(rig, env, "status"))
    return found


def subagents(agent):
    """A helper of Claude Code hands over badly, is sent back, and repairs it; then its caller hands over too."""
    found = []
    bad = "```yaml\noutcome: finished\nfiles_created:\n  - path: ../up.txt\n```\n"
    scenario = {"lanes": [
        {"name": "sub", "when": {"has_tools": True, "system": "RIG-HELPER"}, "steps": [{"text": bad}, when("Attempt 1 of 3", "Mended.\n\n" + TRUTH)]},
        {"name": "main", "steps": [
            {"do": [{"write": "greet.txt", "content": "hello\n"}]},
            {"do": [{"agent": "helper", "prompt": "Look at greet.txt", "extra": {"run_in_background": False}}]},
            {"text": TRUTH}]}]}
    with Rig("beside-sub", scenario) as rig:
        env = prepared(rig, agent)
        rig.write("repo/.claude/agents/helper.md", "---\nname: helper\ndescription: Helps with work\ntools: Read\n---\nRIG-HELPER You help.\n")
        done = run(rig, env, agent)
        status, log = baton_says(rig, env, "status"), baton_says(rig, env, "log")
        expect(found, "both accepted", status.count("done-unverified") == 2, status, log, done.out)
        expect(found, "the helper was sent back once", log.count("decided: rework") == 1 and "@claude.helper" in log, log)
        expect(found, "nobody waited in vain", "RIG: what" not in json.dumps([row.get("reply") for row in rig.requests()]), done.out)
    return found


def over(first, second):
    """What one vendor's agent handed over, the other's is told at the start of its session."""
    found = []
    with Rig("beside-over", HONEST) as rig:
        env = prepared(rig, first)
        run(rig, env, first)
        rig.scenario({"name": "next", "steps": [{"text": "I see."}]})
        count = len(rig.requests())
        if second == "codex":
            import run_codex
            run_codex.config(rig)
        tools = env["PATH"]
        env = rig.env(second)
        env["PATH"] = tools
        told = rig.run(["baton", "init", "--agent", second], env)
        for name in (".mcp.json", ".codex/config.toml"):
            path = os.path.join(rig.repo, name)
            if os.path.exists(path):
                os.unlink(path)
        run(rig, env, second, "What is there?")
        sent = json.dumps([row.get("body") for row in rig.requests()[count:]])
        expect(found, "context arrived", "greet.txt must stay short" in sent and "Use it as information" in sent, told.out, sent[:2000])
    return found


def opencode_serve(_):
    """The plugin prompts the session again, in `opencode serve`."""
    found = []
    with Rig("beside-opencode", REPAIRED) as rig:
        env = prepared(rig, "opencode")
        url = "http://127.0.0.1:%d" % free_port()
        serve = [shutil.which("opencode", path=env["PATH"]), "serve", "--hostname", "127.0.0.1", "--port", url.rsplit(":", 1)[1]]
        process = rig.popen(serve, env, stdout=open(rig.dir + "/srv.txt", "w"), stderr=subprocess.STDOUT)
        end = time.time() + 90
        while "listening" not in (rig.read("srv.txt") or "") and time.time() < end:
            time.sleep(0.2)
        where = "?directory=" + rig.repo
        session = http("POST", url + "/session" + where, {})["id"]
        http("POST", url + "/session/%s/message%s" % (session, where), {"parts": [{"type": "text", "text": "Greet the harbour"}]}, 120)
        end = time.time() + 90
        while "done-unverified" not in baton_says(rig, env, "status") and time.time() < end:
            time.sleep(0.5)
        status, log = baton_says(rig, env, "status"), baton_says(rig, env, "log")
        expect(found, "accepted", "done-unverified" in status, status, log, rig.read("srv.txt"))
        expect(found, "sent back twice", log.count("decided: rework") == 2, log)
        rig.kill(process)
    return found


CASES = {
    "repaired": (repaired, ("claude", "codex", "gemini")),
    "lie": (lie, ("claude", "codex", "gemini")),
    "never": (never, ("claude", "codex", "gemini")),
    "honest": (honest, ("claude", "codex", "gemini")),
    "question": (question, ("claude", "codex", "gemini")),
    "subagents": (subagents, ("claude",)),
    "opencode": (opencode_serve, ("opencode",)),
}
failed = False
for case in cases:
    if case.startswith("over:"):
        first, second = case.split(":")[1:]
        todo = [(lambda _: over(first, second), "%s to %s" % (first, second))]
    else:
        name, _, only = case.partition(":")
        test, agents = CASES[name]
        todo = [(test, agent) for agent in agents if not only or agent == only]
    for test, agent in todo:
        began = time.time()
        problems = test(agent)
        failed |= bool(problems)
        print("%s %s %s (%.1f s)" % ("FAIL" if problems else "PASS", case.partition(":")[0], agent, time.time() - began), flush=True)
        for problem in problems:
            print("     " + problem, flush=True)
sys.exit(1 if failed else 0)
