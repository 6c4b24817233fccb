"""What every importer needs."""


def rows(text):
    return [line.split(";") for line in text.splitlines() if line]
