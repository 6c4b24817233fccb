"""{{title}}, read from the files of the harbour office."""

from tools.common import rows


def read(text):
    return [{"berth": int(row[0]), "cents": int(row[1])} for row in rows(text)]


def total(entries):
    return sum(entry["cents"] for entry in entries)


def berths(entries):
    return sorted({entry["berth"] for entry in entries})
