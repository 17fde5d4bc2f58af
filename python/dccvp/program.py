"""Calls the program dccvp and reads its output."""

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
    """Raised if the program breaks off, or if a run violates an `expect` of its configuration; the message is the
    program's. `run`: the Run if its results are complete, else None."""

    run: typing.Any = None


def program():
    """Returns the path of dccvp: the environment variable DCCVP, else build/dccvp of this checkout, else that of
    this installation, else the one on the PATH. InputError if none exists."""
    named = os.environ.get("DCCVP")
    own = (str(ROOT / "build/dccvp"), str(ROOT.parent.parent / "bin/dccvp"), shutil.which("dccvp"))
    for place in (named,) if named else own:
        if place and os.access(place, os.X_OK):
            return place
    raise InputError(f"no program at {named or ROOT / 'build/dccvp'}: 'make build' makes it; DCCVP=PATH names another")


def words_of(overrides):
    """Returns {key.path: value} as arguments of the program, each value as one line of YAML."""
    def text(value):
        if isinstance(value, (bytes, bytearray)):
            raise TypeError("bytes are no text; decode them")
        if isinstance(value, (dict, list, tuple)):
            # JSON turns tuples and other types that YAML would tag into plain ones.
            plain = json.loads(json.dumps(value))
            return yaml.safe_dump(plain, default_flow_style=True, sort_keys=False, width=math.inf,
                                  allow_unicode=True).strip()
        return str(value).lower() if isinstance(value, bool) else str(value)

    words = []
    for key, value in overrides.items():
        try:
            words += ["-c", checked(f"{key}={text(value)}")]
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"-c {ascii(key)[1:-1]}={ascii(value)[:80]}: {error}") from None
    return words


def checked(word):
    """Returns a word for a command line. ValueError for text that a command line cannot hold."""
    if "\0" in word:
        raise ValueError("a text with a zero byte")
    try:
        os.fsencode(word)
    except UnicodeEncodeError:
        raise ValueError("a text with half a character (an unpaired surrogate)") from None
    return word


def complaint_of(text):
    """Returns the error output of the program without the program's name and without progress lines."""
    lines = [line.rpartition("\r")[2].removeprefix("dccvp: ").rstrip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line)


@contextlib.contextmanager
def ears(stream):
    """Returns (descriptor for the standard error of a program, function that returns the error output after the
    program's start). If `stream` is a terminal, the program gets a terminal too, and its progress line is passed
    on."""
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
            except OSError:  # The program has closed its side of the pseudo-terminal.
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
    """Calls the program; returns (exit status, standard output, error output). InputError for input that the program
    refuses."""
    texts = [str(word) for word in words]
    for word in texts:
        try:
            checked(word)
        except ValueError as error:
            raise InputError(f"{ascii(word)}: {error}") from None
    with tempfile.TemporaryFile() as output, ears(sys.stderr) as (speak, heard):
        with subprocess.Popen([program(), *texts], stdin=subprocess.DEVNULL, stdout=output,
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


@contextlib.contextmanager
def results_of(config, words=()):
    """Runs a configuration, the text of a YAML file, with further arguments of the program, in a folder that is
    deleted at the end. Yields (metrics, folder of the results); instead of the metrics the program's message, a text,
    if the run left none."""
    with tempfile.TemporaryDirectory(prefix="dccvp-") as folder:
        at = pathlib.Path(folder)
        (at / "run.yaml").write_text(config, encoding="utf-8")
        done = subprocess.run([program(), "run", at / "run.yaml", "--quiet", "--no-plots", "--out", at / "out", *words],
                              capture_output=True, text=True, check=False)
        file = at / "out/metrics.json"
        yield (json.loads(file.read_text(encoding="utf-8")) if file.exists()
               else done.stderr.strip() or f"exit {done.returncode}"), at / "out"
