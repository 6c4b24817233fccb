// The official client against `baton mcp`: takes a turn, asks, is answered in a form, hands over, and opens a gate in a form.
// Usage: node mcp_client.mjs PACKAGES MODE TASK (stdio BATON | http URL TOKEN)
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [packages, mode, task, transport, target, token] = process.argv.slice(2);
const require = createRequire(packages + "/");
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");

const forms = [];
const client = new Client(
  { name: "rig-client", version: "1" },
  { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: mode === "legacy" ? "legacy" : { pin: mode } } },
);
client.setRequestHandler("elicitation/create", async (request) => {
  const form = request.params;
  forms.push(form.message);
  const content = form.requestedSchema.properties.choice ? { choice: "approve" } : { answer: "the old pier" };
  return { action: "accept", content };
});
const wire =
  transport === "stdio"
    ? new StdioClientTransport({ command: target, args: ["mcp"], env: process.env })
    : new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers: { Authorization: "Bearer " + token } } });
await client.connect(wire);
const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args });
  return result.content[0].text;
};
const document = "```yaml\noutcome: completed\nsummary: the tides are printed\n```\n";
const out = {
  revision: client.getNegotiatedProtocolVersion?.() ?? null,
  tools: (await client.listTools()).tools.length,
  prompts: (await client.listPrompts()).prompts.length,
  resources: (await client.listResources()).resources.length,
  received: await call("receive", { task }),
  asked: await call("ask", { task, question: "Which pier?" }),
  submitted: await call("submit", { task, document }),
  forms,
};
console.log(JSON.stringify(out));
await client.close();
