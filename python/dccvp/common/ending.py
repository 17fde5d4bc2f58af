"""Ends a tool with an exit status and, after an error, with one line on standard error."""

import errno
import os
import re
import sys


class InputError(Exception):
    """Exception for unusable input: a message of one line that begins with the place of the fault. `place`: the place
    as text, "a.yaml:3:5" for a file or "-c key.path" for an override; None if the message names no place. `file`,
    `line` and `column` are the parts of `place`; each is None if `place` lacks the part."""

    @property
    def _parts(self):
        return re.match(r"((?P<file>[^\n]+?):(?P<line>\d+):(?P<column>\d+)(?=: )|-c [^= ]+(?==))", str(self))

    @property
    def place(self):
        return self._parts and self._parts[1]

    @property
    def file(self):
        return self._parts and self._parts["file"]

    @property
    def line(self):
        return int(self._parts["line"]) if self.file else None

    @property
    def column(self):
        return int(self._parts["column"]) if self.file else None


def ended(main, interrupted="interrupted"):
    """Calls main and returns its status; 2 for unusable input or a file that cannot be read or written; 1 for an
    interrupt from the keyboard, after which the tool prints `interrupted`."""
    try:
        status = main()
        sys.stdout.flush()  # A full disk must be reported here, and not as an exception when the interpreter exits.
        return status
    except InputError as error:
        print(f"dccvp: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # The reader of standard output has closed the pipe; later writes would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.errno == errno.ENOSPC and error.filename is None:
            # The disk under standard output is full; later writes would fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        place = f"'{error.filename}': " if error.filename is not None else ""
        print(f"dccvp: {place}{(error.strerror or str(error)).lower()}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"dccvp: {interrupted}", file=sys.stderr)
        return 1
