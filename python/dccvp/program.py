"""The program that this package belongs to, called and listened to."""

import contextlib
import json
import math
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import tty
import typing

import yaml

from dccvp.common.ending import InputError

ROOT = pathlib.Path(__file__).resolve().parents[2]


class RunError(Exception):
    """The program broke off, or a run broke a promise of its configuration; the text is its own.
    `run`: what it left, where that is whole; else None."""

    run: typing.Any = None


def program():
    """The path of dccvp: what the environment's DCCVP names, else this checkout's build/dccvp or that
    of this installation, else the one on PATH. InputError when there is none."""
    named = os.environ.get("DCCVP")
    own = (str(ROOT / "build/dccvp"), str(ROOT.parents[1] / "bin/dccvp"), shutil.which("dccvp"))
    for place in (named,) if named else own:
        if place and os.access(place, os.X_OK):
            return place
    raise InputError(f"no program at {named or ROOT / 'build/dccvp'}: 'make build' makes it")


def words_of(overrides):
    """{key.path: value} as arguments of the program, each value as one line of YAML."""
    def text(value):
        if isinstance(value, (dict, list, tuple)):
            plain = json.loads(json.dumps(value))  # without tuples and other types that YAML would tag
            return yaml.safe_dump(plain, default_flow_style=True, sort_keys=False, width=math.inf,
                                  allow_unicode=True).strip()
        return str(value).lower() if isinstance(value, bool) else str(value)

    return [word for key, value in overrides.items() for word in ("-c", f"{key}={text(value)}")]


def complaint_of(text):
    """What the program said, without its name and without what a progress line was overwritten with."""
    lines = [line.rpartition("\r")[2].removeprefix("dccvp: ").rstrip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line)


@contextlib.contextmanager
def ears(stream):
    """(descriptor for a program's standard error, how to hear it after it was started). On a terminal
    the program has one too, and its progress line is passed on."""
    if not stream.isatty():
        hear, speak = os.pipe()
    else:
        hear, speak = pty.openpty()
        tty.setraw(speak)
    closing = [hear, speak]

    def heard():
        os.close(closing.pop())
        said = b""
        while True:
            try:
                part = os.read(hear, 65536)
            except OSError:  # a terminal's other side was closed
                part = b""
            if not part:
                return said.decode("utf-8", "replace")
            if stream.isatty() and part.startswith(b"\r"):
                stream.write(part.decode("utf-8", "replace"))
                stream.flush()
            said += part

    try:
        yield speak, heard
    finally:
        for descriptor in closing:
            os.close(descriptor)


def call(*words):
    """Calls the program; (exit status, standard output, what it complained of). InputError for what it
    refuses."""
    with tempfile.TemporaryFile() as output, ears(sys.stderr) as (speak, heard):
        with subprocess.Popen([program(), *map(str, words)], stdin=subprocess.DEVNULL, stdout=output,
                              stderr=speak) as process:
            try:
                said = complaint_of(heard())
            except BaseException:
                process.kill()
                raise
        output.seek(0)
        printed = output.read().decode("utf-8", "replace")
    if process.returncode == 2:
        raise InputError(said)
    return process.returncode, printed, said
