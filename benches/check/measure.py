"""Runs programs in turn and says what each run cost.

Reads one JSON job from stdin: {"rounds": N, "programs": [{"argv": [...], "stdout": "file", "stderr": "file"}, ...]}.
Prints one JSON list with an entry for each program: {"runs": [[wall seconds, CPU seconds, exit code], ...], "peak_kb": N}.

A first round is not timed: it warms the caches and watches the peak of memory. The rounds after it are interleaved, each
one beginning with another program. The kernel's own maximum (ru_maxrss) is no use here, because a child starts with the
size of this interpreter; so the peak is read from /proc while the child runs, and is null where there is no /proc.
"""

import json
import os
import sys
import time

POLL_SECONDS = 0.001


def spawn(program):
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, program["stdout"], flags, 0o644),
        (os.POSIX_SPAWN_OPEN, 2, program["stderr"], flags, 0o644),
    ]
    return os.posix_spawnp(program["argv"][0], program["argv"], os.environ, file_actions=actions)


def timed(program):
    start = time.perf_counter()
    pid = spawn(program)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    return [wall, usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status)]


def peak_kb(program):
    pid = spawn(program)
    peak = None
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        peak = high_water_kb(pid) or peak
        time.sleep(POLL_SECONDS)
    return peak


def high_water_kb(pid):
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            for line in file:
                if line.startswith(b"VmHWM:"):
                    return int(line.split()[1])
    except OSError:
        pass
    return None


def main():
    job = json.load(sys.stdin)
    programs = job["programs"]
    answers = [{"runs": [], "peak_kb": peak_kb(program)} for program in programs]
    for number in range(job["rounds"]):
        for turn in range(len(programs)):
            chosen = (number + turn) % len(programs)
            answers[chosen]["runs"].append(timed(programs[chosen]))
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
