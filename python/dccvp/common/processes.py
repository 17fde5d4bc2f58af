"""Runs several child processes at a time from one thread. No child outlives its parent."""

import ctypes
import os
import signal
import subprocess
import tempfile

PR_SET_PDEATHSIG = 1  # operation number of prctl(2) that sets the signal at the parent's death
LIBC = ctypes.CDLL(None)


def die_with(parent):
    """Called in a child process before exec: the kernel then kills the child when the process `parent` ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # The parent has ended before prctl took effect.
        os._exit(1)


def lines_of(command, cwd=None):
    """Runs an argument list and yields the lines of its standard output as they arrive; the child inherits standard
    error."""
    parent = os.getpid()
    with subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, preexec_fn=lambda: die_with(parent)) as process:
        assert process.stdout is not None
        try:
            yield from process.stdout
        finally:
            process.kill()


def share_of_each(runs, jobs):
    """Returns options for each of `runs` runs of dccvp, `jobs` of which run at a time: one thread per run if
    several runs share the machine."""
    return ["--threads", "1"] if min(jobs, runs) > 1 else []


def run_all(commands, jobs, cwd=None):
    """Runs argument lists in their order, at most `jobs` at a time; yields (index, return code, output) as each ends. A
    negative code is the signal that ended the process."""
    waiting = list(enumerate(commands))[::-1]
    parent = os.getpid()
    running = {}
    try:
        while waiting or running:
            while waiting and len(running) < max(1, jobs):
                index, command = waiting.pop()
                said = tempfile.TemporaryFile()
                process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=said,
                                           stderr=said, preexec_fn=lambda: die_with(parent))
                running[process.pid] = (index, process, said)
            # WNOWAIT leaves the child for its process object to collect.
            pid = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT).si_pid
            if pid not in running:
                os.waitpid(pid, 0)
                continue
            index, process, said = running.pop(pid)
            code = process.wait()
            said.seek(0)
            text = said.read().decode("utf-8", "replace").strip()
            said.close()
            yield index, code, text
    finally:
        for _, process, said in running.values():
            process.kill()
            process.wait()
            said.close()
