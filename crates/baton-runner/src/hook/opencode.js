// Written by `baton init`; `baton init --undo` removes it. Asks Baton at the moments at which a handoff may be owed.
import { spawn } from "node:child_process"

const TIMEOUT_MS = 600000

function ask(directory, payload) {
  return new Promise((resolve) => {
    let out = ""
    // Silence would look like acceptance.
    const nothing = { action: "tell", text: "Baton did not answer, so this work is not judged. `baton doctor` says more." }
    const child = spawn("baton", ["hook", "opencode"], { cwd: directory, stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => child.kill(), TIMEOUT_MS)
    child.on("error", () => { clearTimeout(timer); resolve(nothing) })
    child.stdin.on("error", () => {})
    child.stdout.on("data", (chunk) => { out += chunk })
    child.on("close", () => {
      clearTimeout(timer)
      try { resolve(JSON.parse(out)) } catch { resolve(nothing) }
    })
    child.stdin.end(JSON.stringify({ directory, ...payload }))
  })
}

export const Baton = async ({ client, directory }) => {
  const context = new Map()
  const said = new Map()
  const children = new Set()
  const tell = async (text) => {
    try {
      await client.tui.showToast({ body: { title: "Baton", message: text, variant: "warning" } })
    } catch {}
  }
  const words = (parts) => (parts || []).filter((part) => part.type === "text").map((part) => part.text).join("\n")
  return {
    "chat.message": async (input, output) => {
      const sessionID = input.sessionID
      if (children.has(sessionID)) return
      if (!context.has(sessionID)) {
        const start = await ask(directory, { event: "session.start", sessionID })
        context.set(sessionID, start.action === "context" ? start.text : "")
      }
      said.delete(sessionID)
      const news = await ask(directory, { event: "chat.message", sessionID, prompt: words(output.parts) })
      if (news.action === "context") context.set(sessionID, `${context.get(sessionID)}\n${news.text}`)
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = context.get(input?.sessionID) ?? (context.size === 1 ? [...context.values()][0] : "")
      if (text) output.system.push(text)
    },
    "experimental.text.complete": async (input, output) => { said.set(input.sessionID, output.text) },
    event: async ({ event }) => {
      if (event.type === "session.created" && event.properties.info?.parentID) children.add(event.properties.info.id)
      if (event.type !== "session.idle") return
      const sessionID = event.properties.sessionID
      if (children.has(sessionID)) return
      const answer = await ask(directory, { event: "session.idle", sessionID, message: said.get(sessionID) ?? null })
      if (answer.action === "tell") await tell(answer.text)
      if (answer.action !== "prompt") return
      await client.session.prompt({ path: { id: sessionID }, body: { parts: [{ type: "text", text: answer.text }] } })
    },
  }
}
