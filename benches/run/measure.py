"""Measures what `baton run` itself costs for a turn, without the agent and the check, on a project of many files.

Called with the program, a folder to work in, and how many files and rounds. A run in which the check passes at once is taken
from one in which it passes at the fourth attempt: what is left are three turns in a workspace that is there already.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time

BATON, SCRATCH, FILES, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
FOLDERS = 100
HANDOFF = "```yaml\noutcome: completed\nsummary: did it\n```"
AGENT = """#!/bin/sh
cat > /dev/null
count=$(cat count.txt 2>/dev/null || echo 0); count=$((count + 1)); echo $count > count.txt
echo "$count" >> part-7/file-3.txt
printf '%s\n'
"""
CHECK = "#!/bin/sh\nread -r count < count.txt\nread -r wanted < wanted.txt\n[ \"$count\" -ge \"$wanted\" ]\n"


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


def prepare(name, wanted):
    """Writes a project of which the check passes at this attempt, and returns its folder and environment."""
    root = os.path.join(SCRATCH, name)
    shutil.rmtree(root, ignore_errors=True)
    project = os.path.join(root, "project")
    for number in range(FILES):
        text = "".join(f"line {line} of file {number}\n" for line in range(80))
        write(f"{project}/part-{number % FOLDERS}/file-{number // FOLDERS}.txt", text)
    agent = os.path.join(root, "agent.sh")
    write(agent, AGENT % HANDOFF, 0o755)
    write(f"{project}/check.sh", CHECK, 0o755)
    write(f"{project}/wanted.txt", f"{wanted}\n")
    write(f"{project}/.gitignore", ".baton/\n")
    config = f'[checks.validation]\nrun = ["./check.sh"]\n[agents.default]\ndriver = "command"\nprogram = "{agent}"\n'
    write(f"{project}/baton.toml", config)
    environment = {"PATH": os.environ["PATH"], "HOME": root, "XDG_STATE_HOME": f"{root}/state"}
    git = ["git", "-c", "user.name=Ida", "-c", "user.email=ida@harbour.example", "-c", "gc.auto=0"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "begin"]):
        subprocess.run(git + words, cwd=project, env=environment, check=True)
    for words in (["trust", "--yes"], ["task", "add", "T1", "Do it", "--workflow", "single"]):
        subprocess.run([BATON] + words, cwd=project, env=environment, check=True, capture_output=True)
    # What was written a moment ago is read again, which no real project pays for.
    time.sleep(4)
    return project, environment


def measured(argv, project, environment):
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(argv, cwd=project, env=environment, capture_output=True, stdin=subprocess.DEVNULL)
    wall, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done, wall, cpu


def alone(words, project, environment, times=20):
    """What a program of the project costs by itself, in seconds of the processor and of the clock."""
    runs = [measured(words, project, environment)[1:] for _ in range(times)]
    return statistics.median(wall for wall, _ in runs), statistics.median(cpu for _, cpu in runs)


def run(name, wanted):
    project, environment = prepare(name, wanted)
    done, wall, cpu = measured([BATON, "run", "--json"], project, environment)
    turns = sum(1 for line in done.stdout.splitlines() if json.loads(line)["event"] == "turn_started")
    if done.returncode != 0 or turns != wanted:
        sys.exit(f"{turns} turns, exit code {done.returncode}: {done.stderr.decode()}")
    return wall, cpu, project, environment


def main():
    rounds = []
    for _ in range(ROUNDS):
        one_wall, one_cpu, project, environment = run("one", 1)
        copy = os.path.join(SCRATCH, "alone")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(project, copy, ignore=shutil.ignore_patterns(".git"))
        agent = alone([os.path.join(SCRATCH, "one", "agent.sh")], copy, environment)
        check = alone([os.path.join(copy, "check.sh")], copy, environment)
        four_wall, four_cpu, _, _ = run("four", 4)
        rounds.append({
            "first_wall": one_wall,
            "first_cpu": one_cpu,
            "turn_wall": (four_wall - one_wall) / 3 - agent[0] - check[0],
            "turn_cpu": (four_cpu - one_cpu) / 3 - agent[1] - check[1],
            "others_cpu": agent[1] + check[1],
        })
    print(json.dumps({key: statistics.median(one[key] for one in rounds) for key in rounds[0]}))


main()
