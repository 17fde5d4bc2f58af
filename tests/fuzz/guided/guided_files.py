"""Common part of the fuzz targets for experiment files: writes an input to a file, and has the tools read or refuse
the file."""

import contextlib
import io
import pathlib
import re
import tempfile

import guided

from dccvp.common.ending import ended

PLATFORM = "platform.yaml"
DIVIDER = b"\n=====\n"  # separates the file from an optional platform file that follows
PLATFORM_TEXT = (b"topology: {kind: star, hosts: 3}\nduration: 1ms\ntraffic: [{kind: flow, from: 1, to: 0}]\n"
                 b"output: {plots: false}\n")
# The temporary folder exists as long as the process.
FOLDER = tempfile.TemporaryDirectory(prefix="dccvp-fuzz-")


def require(holds, what):
    if not holds:
        raise AssertionError(what)


def target(name, read, check):
    """Makes a fuzz target. The target writes the input to the file `name` beside a platform, `read` reads the file,
    and `check` checks the accepted plan. A refusal must have exit status 2 and a message of one line that begins
    with the place of the error."""
    folder = pathlib.Path(FOLDER.name)
    path = folder / name
    place = re.compile(r"dccvp: (" + re.escape(str(path)) + "|" + re.escape(str(folder / PLATFORM)) +
                       r")(:\d+:\d+)?: [^\n]+\n")

    def one(data):
        text, divider, platform = data.partition(DIVIDER)
        path.write_bytes(text)
        (folder / PLATFORM).write_bytes(platform if divider else PLATFORM_TEXT)
        plans = []

        def main():
            plans.append(read(path))
            return 0

        written = io.BytesIO()
        said = io.TextIOWrapper(written, encoding="utf-8", write_through=True)
        with contextlib.redirect_stderr(said):
            status = ended(main)
        text = written.getvalue().decode()
        if status == 0:
            check(plans[0])
            require(text == "", f"accepted, with the words {text!r}")
            return ""
        require(status == 2 and place.fullmatch(text), f"refused with {status}, {text!r}")
        # The kind of an error is its message up to the first quotation mark, without places and numbers.
        return re.sub(r"[0-9]+", "", text[text.index(": ", len("dccvp: ")):].partition("'")[0])[:40]

    return one


def passes_as_argument(text):
    """True if the text can be an argument on a command line."""
    require("\0" not in text, f"{text!r} holds the character 0")
    text.encode("utf-8")


def run(name, read, check):
    guided.main(target(name, read, check))
