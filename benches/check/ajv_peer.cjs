// Judges a folder of handoffs with ajv and js-yaml, in one process, each schema compiled once.
//
// node ajv_peer.cjs <folder with node_modules> <folder of schemas> <folder of documents>
// Prints one JSON object: how many documents and bytes were read, and which documents are invalid.

const { readFileSync, readdirSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join, resolve } = require("node:path");

const [modules, schemas, documents] = process.argv.slice(2);
const requirePeer = createRequire(join(resolve(modules), "package.json"));
const Ajv = requirePeer("ajv");
const yaml = requirePeer("js-yaml");

const ajv = new Ajv();
const compile = (name) => ajv.compile(JSON.parse(readFileSync(join(schemas, `${name}.schema.json`), "utf8")));
const judges = {
  stage: compile("stage"),
  summary: compile("summary"),
  task: compile("task"),
  package: compile("package"),
};

const FENCE = "```yaml\n";

function extract(text, dialect) {
  if (dialect === "package") return text;
  if (dialect === "stage") return text.slice(4, text.indexOf("\n---\n", 3));
  const start = text.indexOf(FENCE) + FENCE.length;
  return text.slice(start, text.indexOf("\n```", start));
}

const answer = { documents: 0, bytes: 0, invalid: [] };
for (const folder of readdirSync(documents)) {
  for (const name of readdirSync(join(documents, folder))) {
    const dialect = name.split(".")[1];
    const bytes = readFileSync(join(documents, folder, name));
    answer.documents += 1;
    answer.bytes += bytes.length;
    let valid = false;
    try {
      // The core schema has no times, so they stay the strings that JSON Schema expects.
      valid = judges[dialect](yaml.load(extract(bytes.toString("utf8"), dialect), { schema: yaml.CORE_SCHEMA }));
    } catch (error) {
      if (!(error instanceof yaml.YAMLException)) throw error;
    }
    if (!valid) answer.invalid.push(`${folder}/${name}`);
  }
}
console.log(JSON.stringify(answer));
