// An eight-stage workflow on Restate: its own server on loopback, each stage kept by it.
//
// Usage: restate_peer.mjs FOLDER WORKFLOWS AT_ONCE. Prints one JSON object: {"steps": N, "seconds": S}.

import { spawn } from "node:child_process";
import { createServer as createHttp2Server } from "node:http2";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { existsSync } from "node:fs";

// The SDK wants a newer Node; this is all that it misses in version 20.
Promise.withResolvers ??= function () {
  let resolve, reject;
  const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
};

const STAGES = 8;
const HANDOFF = "x".repeat(1024);
const READY_MS_MAX = 60_000;

const [folder, workflows, atOnce] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];

/// Ports that are free now, all held until the last is found, so that none comes twice.
async function freePorts(count) {
  const servers = await Promise.all(Array.from({ length: count }, () => new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(server));
  })));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function program() {
  const require = createRequire(join(process.env.PEERS ?? process.cwd(), "package.json"));
  const home = dirname(require.resolve("@restatedev/restate-server/package.json"));
  const found = ["restate-server-linux-x64", "restate-server-linux-arm64", "restate-server-darwin-arm64"]
    .map((name) => join(home, "..", name, "bin", "restate-server"))
    .find((path) => existsSync(path));
  if (!found) throw new Error("the server is not installed");
  return found;
}

async function until(what, attempt) {
  const end = Date.now() + READY_MS_MAX;
  while (Date.now() < end) {
    try {
      if (await attempt()) return;
    } catch {
      // Not yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what} did not come up`);
}

process.env.RESTATE_LOGGING = "ERROR";
const require = createRequire(join(process.env.PEERS ?? process.cwd(), "package.json"));
const restate = await import(require.resolve("@restatedev/restate-sdk"));

const service = restate.service({
  name: "bench",
  handlers: {
    workflow: async (context) => {
      for (let number = 0; number < STAGES; number++) {
        await context.run(`stage ${number}`, () => HANDOFF);
      }
      return STAGES;
    },
  },
});

const [ingress, admin, node, own] = await freePorts(4);
const endpoint = createHttp2Server(restate.endpoint().bind(service).http2Handler());
await new Promise((resolve) => endpoint.listen(own, "127.0.0.1", resolve));
const server = spawn(program(), ["--base-dir", folder], {
  stdio: ["ignore", "ignore", "inherit"],
  env: {
    ...process.env,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
    RESTATE_LOG_FILTER: "error",
    RESTATE_DISABLE_TELEMETRY: "true",
    DO_NOT_TRACK: "1",
  },
});
try {
  const post = (url, body) =>
    fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  await until("the server", async () => (await fetch(`http://127.0.0.1:${admin}/health`)).ok);
  await until("the service", async () =>
    (await post(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${own}` })).ok);
  const one = async () => {
    const answer = await post(`http://127.0.0.1:${ingress}/bench/workflow`, {});
    if (!answer.ok || (await answer.json()) !== STAGES) throw new Error(`a workflow failed: ${answer.status}`);
  };
  await until("the first workflow", async () => (await one(), true));
  const begun = process.hrtime.bigint();
  let left = workflows;
  const lane = async () => {
    while (left-- > 0) await one();
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  console.log(JSON.stringify({ steps: workflows * STAGES, seconds }));
} finally {
  server.kill("SIGKILL");
  process.exitCode ??= 0;
  setTimeout(() => process.exit(), 100);
}
