"""The ten stages through the real program: each a task after the one before it, in a git project of its own.

Usage: baton_peer.py SCENARIO FILE BATON FOLDER. Writes what `baton context` gives whoever takes the next task.
"""

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import noise
import scenario
import transcript

LINES_DEFAULT = 120
GUIDANCE = """# How we work

- Ask before you change a rule of the list.
- Tests come before code.
- Nothing is deleted from production by hand.
"""
CONFIGURATION = '[checks.validation]\nrun = ["git", "diff", "--quiet", "HEAD"]\n'


class Project:
    def __init__(self, baton, folder):
        shutil.rmtree(folder, ignore_errors=True)
        self.baton, self.folder, self.home = baton, folder / "project", folder / "home"
        for each in (self.folder, self.home):
            each.mkdir(parents=True)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "USER": "office", "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "office", "GIT_AUTHOR_EMAIL": "office@example.org",
            "GIT_COMMITTER_NAME": "office", "GIT_COMMITTER_EMAIL": "office@example.org",
        }

    def run(self, *command, input=None):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, input=input, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"`{' '.join(map(str, command))}` ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def ask(self, *words, input=None):
        return self.run(self.baton, *words, input=input)

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def commit(self, subject):
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message", subject)


def begin(project, stages):
    """The project before the first stage, with the files that the stages change and read but do not create."""
    project.run("git", "init", "--quiet", "--initial-branch", "main")
    project.write("AGENTS.md", GUIDANCE)
    project.write("baton.toml", CONFIGURATION)
    project.write(".gitignore", ".baton/\n")
    named = set(re.findall(r"\b(?:src|planner|mobile|docs|tests|benches|migrations)/[\w./-]+\.\w+", "".join(stage.handoff for stage in stages)))
    created = set(re.findall(r"path: (\S+)\n\s+purpose:", "".join(stage.handoff for stage in stages)))
    for path in sorted(named - created):
        project.write(path, contents(path, LINES_DEFAULT))
    project.commit("The project as it is")
    project.ask("trust", "--yes")
    for before, stage in zip([None, *stages], stages):
        after = ["--after", before.task] if before else []
        project.ask("task", "add", stage.task, stage.title, "--workflow", "single", *after)


def contents(path, lines):
    text = noise.code(random.Random(path), path, [], lines * 60).splitlines()
    return "\n".join(text[:lines]) + "\n"


def carry(project, stage):
    """Does the work of a stage and hands it over, again where the first handoff is sent back because it names a blocker."""
    for path in stage.files:
        project.write(path, contents(path + stage.task, claimed_lines(stage, path)))
    project.commit(f"{stage.task}: {stage.title}")
    for handoff in (stage.handoff, stage.unblocked):
        project.ask("receive", stage.task, "--as", stage.agent)
        project.ask("submit", stage.task, "-", "--as", stage.agent, input=handoff)
        project.ask("task", "check", stage.task)
        decided = project.ask("decide", stage.task)
        if "now: done" in decided:
            return
    sys.exit(f"{stage.task} was not accepted: {decided}")


def claimed_lines(stage, path):
    claim = re.search(rf"path: {re.escape(path)}\n(?:.*\n)?\s+lines: (?:\d+-)?(\d+)\n", stage.handoff)
    return int(claim.group(1)) if claim else LINES_DEFAULT


def main(name, file, baton, folder):
    _, stages = scenario.load(name)
    project = Project(baton, folder)
    begin(project, stages)
    handoffs = []
    for stage, following in zip(stages, stages[1:]):
        carry(project, stage)
        packet = project.ask("context", following.task)
        again = project.ask("context", following.task)
        if packet != again:
            sys.exit(f"two packets for {following.task} differ")
        handoffs.append([{"role": "user", "text": packet}])
    project.ask("audit-log", "verify")
    transcript.write(file, {"Baton": handoffs})


if __name__ == "__main__":
    main(sys.argv[1], *(Path(argument).resolve() for argument in sys.argv[2:]))
