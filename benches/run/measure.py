"""Measures what `baton run` itself costs for a turn, without the agent and the check, on a project of many files.

Called with the program, a folder to work in, and how many files and rounds. A task with several stages, each of which passes at
its last attempt, has many turns in a workspace that is there already. The processor's time of Baton and of all that it waited for
is read whenever a turn begins; from the second beginning to the last one there are nothing but whole turns.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BATON, SCRATCH, FILES, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
os.makedirs(SCRATCH, exist_ok=True)
FOLDER = tempfile.mkdtemp(prefix="run-", dir=SCRATCH)
FOLDERS = 100
STAGES = 5
ATTEMPTS = 4
TICKS = os.sysconf("SC_CLK_TCK")
HANDOFF = "```yaml\noutcome: completed\nsummary: did it\n```"
AGENT = """#!/bin/sh
cat > /dev/null
count=$(cat count.txt 2>/dev/null || echo 0); count=$((count + 1)); echo $count > count.txt
echo "$count" >> part-7/file-3.txt
printf '%s\n'
"""
CHECK = "#!/bin/sh\nread -r count < count.txt\nread -r every < every.txt\n[ $((count % every)) -eq 0 ]\n"
STAGE = '[[workflows.long.stages]]\nname = "part-%d"\nagent = "@default"\ncheckpoints = ["validation"]\n'


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


def prepare(stages, every):
    """Writes a project with so many stages, of which each passes at this attempt; returns its folder and environment."""
    root = tempfile.mkdtemp(dir=FOLDER)
    project = os.path.join(root, "project")
    for number in range(FILES):
        text = "".join(f"line {line} of file {number}\n" for line in range(80))
        write(f"{project}/part-{number % FOLDERS}/file-{number // FOLDERS}.txt", text)
    agent = os.path.join(root, "agent.sh")
    write(agent, AGENT % HANDOFF, 0o755)
    write(f"{project}/check.sh", CHECK, 0o755)
    write(f"{project}/every.txt", f"{every}\n")
    write(f"{project}/.gitignore", ".baton/\n")
    config = f'[checks.validation]\nrun = ["./check.sh"]\n[agents.default]\ndriver = "command"\nprogram = "{agent}"\n'
    config += '[workflows.long]\nintegration = "merge"\n' + "".join(STAGE % number for number in range(stages))
    write(f"{project}/baton.toml", config)
    environment = {"PATH": os.environ["PATH"], "HOME": root, "XDG_STATE_HOME": f"{root}/state"}
    git = ["git", "-c", "user.name=Ida", "-c", "user.email=ida@harbour.example", "-c", "gc.auto=0"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "begin"]):
        subprocess.run(git + words, cwd=project, env=environment, check=True)
    for words in (["trust", "--yes"], ["task", "add", "T1", "Do it", "--workflow", "long"]):
        subprocess.run([BATON] + words, cwd=project, env=environment, check=True, capture_output=True)
    # What was written a moment ago is read again, which no real project pays for.
    time.sleep(4)
    return project, environment


def seconds_of(process):
    """The processor's time of a process that runs, and of all below it that were waited for."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / TICKS


def alone(words, project, environment, times=40):
    """What a program of the project costs by itself, in seconds of the clock and of the processor."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    for _ in range(times):
        subprocess.run(words, cwd=project, env=environment, capture_output=True, stdin=subprocess.DEVNULL)
    wall, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall / times, spent(before, after) / times


def spent(before, after):
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(stages, every):
    """Runs a task; returns when each turn began and how much was spent until then, and both for the whole run."""
    project, environment = prepare(stages, every)
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [BATON, "run", "--json"]
    baton = subprocess.Popen(
        command, cwd=project, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    beginnings = []
    for line in baton.stdout:
        if json.loads(line)["event"] == "turn_started":
            beginnings.append((time.monotonic() - begun, seconds_of(baton.pid)))
    trouble = baton.stderr.read().decode()
    code = baton.wait()
    wall, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if code != 0 or len(beginnings) != stages * every:
        sys.exit(f"{len(beginnings)} turns, exit code {code}: {trouble}")
    return beginnings, (wall, spent(before, after)), project, environment


def measure():
    rounds = []
    for _ in range(ROUNDS):
        _, whole, project, environment = run(1, 1)
        # Nothing is read from here any more, so the agent may write in it.
        agent = alone([os.path.join(os.path.dirname(project), "agent.sh")], project, environment)
        check = alone([os.path.join(project, "check.sh")], project, environment)
        beginnings, _, _, _ = run(STAGES, ATTEMPTS)
        (first_wall, first_cpu), (last_wall, last_cpu) = beginnings[1], beginnings[-1]
        turns = len(beginnings) - 2
        rounds.append({
            "first_wall": whole[0],
            "first_cpu": whole[1],
            "begin_wall": beginnings[0][0],
            "begin_cpu": beginnings[0][1],
            "turn_wall": (last_wall - first_wall) / turns - agent[0] - check[0],
            "turn_cpu": (last_cpu - first_cpu) / turns - agent[1] - check[1],
            "others_cpu": agent[1] + check[1],
        })
    print(json.dumps({key: statistics.median(one[key] for one in rounds) for key in rounds[0]}))


try:
    measure()
finally:
    # Some file systems take long to make files where others were removed a moment ago, so nothing is removed before.
    shutil.rmtree(FOLDER, ignore_errors=True)
