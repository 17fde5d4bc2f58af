"""Shows a progress line on a terminal."""

import time


class Progress:
    """A progress line such as "3 of 8 points, 5 s left", rewritten in place; without a terminal nothing is shown.
    As a context manager the object shows the line at the beginning and clears it at the end."""

    def __init__(self, stream, total, things):
        self.stream = stream if stream.isatty() and total else None
        self.total = total
        self.things = things
        self.begin = time.monotonic()

    def __enter__(self):
        self.show(0)
        return self

    def __exit__(self, *_):
        if self.stream is not None:
            self.stream.write(f"\r{'':79}\r")
            self.stream.flush()

    def show(self, done, more=""):
        if self.stream is None:
            return
        spent = time.monotonic() - self.begin
        left = f", {spent / done * (self.total - done):.0f} s left" if done else ""
        line = f"{done} of {self.total} {self.things}{more}{left}"
        self.stream.write(f"\r{line:<79.79}")
        self.stream.flush()
