"""Runs the MCP inspector's command line, the official client and the public conformance suite against `baton mcp`, over standard
input and output and over HTTP. What is not expected, in either direction, fails. Usage: mcp.py RIG BATON"""
import glob
import json
import os
import socket
import sys
import threading
import time

rig_folder, baton = sys.argv[1], sys.argv[2]
sys.path.insert(0, rig_folder)
from riglib import Rig  # noqa: E402

# Scenarios that call tools, prompts or resources of a server made for this suite, or features that Baton does not have.
# docs/reference/mcp.md says why, one by one.
PASSES = {
    "server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection",
    "server-sse-polling", "server-sse-multiple-streams",
}
ALL = """server-initialize logging-set-level ping completion-complete tools-list tools-call-simple-text tools-call-image
tools-call-audio tools-call-embedded-resource tools-call-mixed-content tools-call-with-logging tools-call-error
tools-call-with-progress tools-call-sampling tools-call-elicitation json-schema-2020-12 elicitation-sep1034-defaults
server-sse-polling server-sse-multiple-streams elicitation-sep1330-enums resources-list resources-read-text
resources-read-binary resources-templates-read resources-subscribe resources-unsubscribe prompts-list prompts-get-simple
prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image dns-rebinding-protection""".split()
TOOLS = ["receive", "context", "search", "ask", "check", "submit", "delegate", "return", "status"]
CONFIG = """[checks.validation]
run = ["test", "-f", "README.md"]
[mcp]
answers_from = ["rig-client"]
[workflows.gated]
[[workflows.gated.stages]]
name = "build"
agent = "@builder"
checkpoints = ["validation"]
gates = [{ name = "release", items = ["The times are right"] }]
"""
HEAD_MAX = 65536
failed = []


def told(name, good, detail=""):
    print("%s %s%s" % ("PASS" if good else "FAIL", name, " -- %s" % (detail,) if detail else ""))
    if not good:
        failed.append(name)


class Door(threading.Thread):
    """Passes every request on with the token: the suite cannot send one. Host and Origin stay what the suite sent, but for the
    port."""

    def __init__(self, port, token):
        super().__init__(daemon=True)
        self.port, self.token = port, token
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d/mcp" % self.socket.getsockname()[1]

    def run(self):
        while True:
            client, _ = self.socket.accept()
            threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client):
        head = b""
        while b"\r\n\r\n" not in head and len(head) < HEAD_MAX:
            more = client.recv(4096)
            if not more:
                return client.close()
            head += more
        first, rest = head.split(b"\r\n", 1)
        own = b":%d" % self.socket.getsockname()[1]
        top, body = rest.split(b"\r\n\r\n", 1)
        top = top.replace(own, b":%d" % self.port)
        server = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        server.sendall(first + b"\r\nAuthorization: Bearer " + self.token + b"\r\n" + top + b"\r\n\r\n" + body)
        threading.Thread(target=pump, args=(client, server), daemon=True).start()
        pump(server, client)
        client.close()
        server.close()


def pump(source, target):
    try:
        while True:
            data = source.recv(65536)
            if not data:
                return
            target.sendall(data)
    except OSError:
        pass


def inspect(rig, env, where, arguments):
    run = rig.run(["mcp-inspector", "--cli"] + arguments, env, cwd=rig.repo, timeout=120)
    try:
        return json.loads(run.out)
    except ValueError:
        print("%s: %s" % (where, (run.out + run.err)[-400:]))
        return {}


def inspected(rig, env, name, target):
    names = [tool["name"] for tool in inspect(rig, env, name, target + ["--method", "tools/list"]).get("tools", [])]
    told("inspector over %s: tools/list" % name, names == TOOLS, names)
    call = inspect(rig, env, name, target + ["--method", "tools/call", "--tool-name", "status"])
    text = json.dumps(call.get("content", ""))
    told("inspector over %s: tools/call status" % name, "T1" in text and not call.get("isError"), text[:120])
    uris = [one["uri"] for one in inspect(rig, env, name, target + ["--method", "resources/list"]).get("resources", [])]
    told("inspector over %s: resources/list" % name, "baton://tasks/T1" in uris, uris)
    read = inspect(rig, env, name, target + ["--method", "resources/read", "--uri", "baton://guidance"])
    told("inspector over %s: resources/read" % name, "Keep it short" in json.dumps(read))
    prompts = [one["name"] for one in inspect(rig, env, name, target + ["--method", "prompts/list"]).get("prompts", [])]
    told("inspector over %s: prompts/list" % name, {"taskfile", "verification-report"} <= set(prompts), len(prompts))
    ask = ["--method", "prompts/get", "--prompt-name", "taskfile", "--prompt-args", "task=T1"]
    told("inspector over %s: prompts/get" % name, "Task T1" in json.dumps(inspect(rig, env, name, target + ask)))


def spoken(rig, env, mode, where):
    """The official client takes a task through a question and a gate, in one of the two worlds."""
    task = "C-%s-%s" % (mode, where[0])
    rig.run([baton, "task", "add", task, "Print the tides", "--workflow", "gated"], env)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_client.mjs")
    run = rig.run(["node", script, os.path.join(os.environ["RIG_NPM"], "node_modules"), mode, task] + where, env, timeout=120)
    said = run.json() or {}
    good = "a person answers: the old pier" in said.get("asked", "") and "accept" in said.get("submitted", "")
    good = good and len(said.get("forms", [])) == 2 and said.get("tools") == len(TOOLS)
    told("official client %s over %s: a question and a gate" % (mode, where[0]), good, said.get("revision") or run.err[-300:])
    log = rig.run([baton, "log", task], env).out
    told("official client %s over %s: the log" % (mode, where[0]), "via rig-client" in log and "agent " in log, log[-200:] * (not good))


with Rig("baton-mcp", {}) as rig:
    env = rig.env()
    env["USER"] = "ida"
    rig.write("repo/AGENTS.md", "Keep it short\n")
    rig.write("repo/baton.toml", CONFIG)
    rig.run([baton, "trust", "--yes"], env)
    added = rig.run([baton, "task", "add", "T1", "Print the tides", "--workflow", "single"], env, cwd=rig.repo)
    told("a task is added", added.rc == 0, added.err)
    inspected(rig, env, "stdio", [baton, "mcp"])
    out = open(os.path.join(rig.dir, "url"), "w+")
    rig.popen([baton, "mcp", "--http"], env, cwd=rig.repo, stdout=out)
    end = time.time() + 30
    while not open(out.name).read().endswith("\n") and time.time() < end:
        time.sleep(0.05)
    url = open(out.name).read().strip()
    token = open(glob.glob(env["XDG_STATE_HOME"] + "/**/mcp-token", recursive=True)[0]).read().strip()
    inspected(rig, env, "HTTP", [url, "--transport", "http", "--header", "Authorization: Bearer " + token])
    for mode in ["legacy", "2026-07-28"]:
        spoken(rig, env, mode, ["stdio", baton])
        spoken(rig, env, mode, ["http", url, token])
    door = Door(int(url.rsplit(":", 1)[1].split("/")[0]), token.encode())
    door.start()
    wanted = ALL if os.environ.get("BATON_LONG") else [name for name in ALL if name in PASSES]
    if len(wanted) < len(ALL):
        print("LEFT OUT: %d scenarios that cannot pass; BATON_LONG=1 runs them too" % (len(ALL) - len(wanted)))
    for scenario in wanted:
        argv = ["conformance", "server", "--url", door.url, "--scenario", scenario, "-o", rig.dir + "/conformance"]
        run = rig.run(argv, env, timeout=120)
        tail = [line for line in (run.out + run.err).splitlines() if "assed" in line or "rror" in line][-1:]
        good = run.rc == 0
        told("conformance %s: %s" % (scenario, "passes" if good else "does not pass"), good == (scenario in PASSES), tail)
sys.exit(1 if failed else 0)
