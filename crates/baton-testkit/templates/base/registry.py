"""The importers by name."""

IMPORTERS = []
