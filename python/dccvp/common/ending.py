"""Ends a tool with an exit status and, after an error, one line on standard error."""

import errno
import os
import re
import sys


class InputError(Exception):
    """Unusable input: one line, with the place first. `place`: the text of the place, as a file's "a.yaml:3:5" or an
    override's "-c key.path"; None if the line begins with no place. `file`, `line` and `column` are its parts; None
    where there are none."""

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
    interrupt from the keyboard, after which the message is `interrupted`."""
    try:
        status = main()
        sys.stdout.flush()  # a full disk is reported here, and not as an exception at the interpreter's end
        return status
    except InputError as error:
        print(f"dccvp: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of the output has closed it; later writes would fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.errno == errno.ENOSPC and error.filename is None:  # standard output; later writes would fail again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        place = f"'{error.filename}': " if error.filename is not None else ""
        print(f"dccvp: {place}{(error.strerror or str(error)).lower()}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"dccvp: {interrupted}", file=sys.stderr)
        return 1
