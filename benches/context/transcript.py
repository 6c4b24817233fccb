"""What a peer was sent, as its model gets it: a list of messages, each with a role and the text that is read."""

import json


def of_chat(messages):
    """Messages of a chat completion, as LangChain hands them to a provider."""
    for message in messages:
        parts = [message.get("content") or ""]
        for call in message.get("tool_calls") or []:
            parts += [call["function"]["name"], call["function"]["arguments"]]
        yield {"role": message["role"], "text": joined(parts)}


def of_responses(items):
    """Input items of the Responses API."""
    for item in items:
        kind = item.get("type", "message")
        if kind == "message":
            yield {"role": item["role"], "text": content(item["content"])}
        elif kind == "function_call":
            yield {"role": "assistant", "text": joined([item["name"], item["arguments"]])}
        elif kind == "function_call_output":
            yield {"role": "tool", "text": content(item["output"])}
        else:
            raise ValueError(f"nobody counts a `{kind}`")


def content(value):
    return value if isinstance(value, str) else joined(part["text"] for part in value)


def joined(parts):
    return "\n".join(part for part in parts if part)


def write(path, variants):
    """Writes what each variant of a peer was sent at each handoff: `{name: [messages]}`."""
    path.write_text(json.dumps({name: [list(messages) for messages in handoffs] for name, handoffs in variants.items()}))
