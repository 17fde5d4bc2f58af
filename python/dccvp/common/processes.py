"""Processes side by side, started and awaited by one thread; none outlives its parent."""

import ctypes
import os
import signal
import subprocess
import tempfile

PR_SET_PDEATHSIG = 1  # prctl(2)
LIBC = ctypes.CDLL(None)


def die_with(parent):
    """For a child, before it becomes the program: its end when the parent ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # which has ended meanwhile
        os._exit(1)


def lines_of(command, cwd=None):
    """Runs an argument list and yields the lines of its standard output as they come; what it says
    besides goes where this process's does."""
    parent = os.getpid()
    with subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, preexec_fn=lambda: die_with(parent)) as process:
        assert process.stdout is not None
        try:
            yield from process.stdout
        finally:
            process.kill()


def share_of_each(runs, jobs):
    """Options of each of so many runs of dccvp, `jobs` at a time: side by side they take all
    processors, so that none of them should be divided."""
    return ["--threads", "1"] if min(jobs, runs) > 1 else []


def run_all(commands, jobs, cwd=None):
    """Runs argument lists, at most `jobs` at a time, in their order; yields (index, return code,
    what it said) as each ends. A negative code is the signal that ended it."""
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
            # Wait without collecting: the process object does that.
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
