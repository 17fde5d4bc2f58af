"""Coverage-guided fuzzer for readers that are written in Python, with the command-line options of libFuzzer.

TARGET.py [-seed=N] [-runs=N] [-max_total_time=S] [-max_len=N] [-timeout=S] [-artifact_prefix=P]
          [-print_final_stats=1] FOLDER|FILE…
The files of the folders are the seeds. Inputs with new coverage are written into the first folder. A FILE is run
once, which reproduces a finding. The exit status is 0, or 77 after a finding, whose input is written to a file with
the prefix P.

The guide is the coverage: pairs of consecutive lines of the package, and the kinds of error messages. An input with
new coverage is kept and mutated further. Mutations change bytes or lines (YAML's structure), insert words from the
package's own constants, and splice parts of other inputs. Debian has no coverage-guided fuzzer for Python. Equal
seed, number of runs and seed files give equal inputs.
"""

import ast
import hashlib
import pathlib
import random
import re
import resource
import signal
import sys
import time
import traceback

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "python"
sys.path.insert(0, str(PACKAGE))
FINDING = 77
MOST_MEMORY = 2 << 30
# Words that often break parsers of text, besides the parser's own keywords.
AWKWARD = ["", "0", "-1", "1", "65536", "99999999999999999999", "9" * 5000, "1e999", "-1e-999", ".nan", ".inf",
           "0x10", "0o7", "1_0", "1:30", "1/0", "1/00", "1/256", "1.5%", "\u00b2", "\u0661", "~", "null", "true",
           "2001-01-01", "2001-99-99", "'\\0'", '"\\0"', '"\\ud800"', '"\\n"', '"\\x1b"', "\u2028", "\ufeff",
           "&a", "*a", "[*a]", "&a [*a]", "<<", "!!binary", "!!set", "!!python/none", "{}", "[]", "[[]]", "- ",
           "? ", "|", ">", "---", "...", "%YAML 1.1", "#", "1..20", "0..999999999999", "..", ".", "a.b", "a..b"]
TOKEN = re.compile(rb"[A-Za-z0-9_.%/-]+|[^\sA-Za-z0-9_.%/-]")


def words_of(package):
    """Short string constants in a package's modules, such as its keys."""
    found = set()
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and 0 < len(node.value) <= 24:
                found.add(node.value)
    return sorted(found)


class Coverage:
    """Records pairs of consecutive lines in a package's code, as numbers."""

    def __init__(self):
        self.seen = set()
        self.new = set()
        self.numbers = {}  # id of a code object -> its number; None for code outside the package
        self.kept = []     # keeps the code objects alive, so that no id is reused

    def number_of(self, code):
        number = None
        if code.co_filename.startswith(str(PACKAGE)):
            number = len(self.kept)
        self.kept.append(code)
        self.numbers[id(code)] = number
        return number

    def called(self, frame, _event, _argument):
        key = id(frame.f_code)
        number = self.numbers[key] if key in self.numbers else self.number_of(frame.f_code)
        if number is None:
            return None
        last = 0

        def stepped(frame, event, _argument):
            nonlocal last
            line = frame.f_lineno if event != "exception" else 0
            pair = number << 32 | last << 16 | line
            last = line
            if pair not in self.seen:
                self.new.add(pair)
            return stepped

        return stepped


class Mutator:
    def __init__(self, seed, words, most_bytes):
        self.random = random.Random(seed)
        self.known = [word.encode("utf-8", "surrogatepass") for word in words]
        self.awkward = [word.encode("utf-8") for word in AWKWARD]
        self.most = most_bytes

    def below(self, count):
        return int(self.random.random() * count)

    def one_of(self, things):
        return things[self.below(len(things))]

    def word(self):
        return self.one_of(self.awkward if self.below(2) else self.known)

    def by_bytes(self, data, _other):
        at = self.below(len(data) + 1)
        how = self.below(4)
        if how == 0:
            return data[:at] + bytes([self.below(256)]) + data[at + 1:]
        end = at + self.below(16)
        if how == 1:
            return data[:at] + data[end:]
        if how == 2:
            return data[:end] + data[at:]
        return data[:at] + self.word() + data[at:]

    def by_words(self, data, other):
        places = list(TOKEN.finditer(data))
        if not places:
            return self.word()
        place = self.one_of(places)
        theirs = list(TOKEN.finditer(other))
        word = self.one_of(theirs)[0] if theirs and self.below(3) == 0 else self.word()
        return data[:place.start()] + word + data[place.end():]

    def by_lines(self, data, other):
        lines = data.split(b"\n")
        at = self.below(len(lines))
        how = self.below(5)
        if how == 0:
            del lines[at]
        elif how == 1:
            lines.insert(self.below(len(lines) + 1), lines[at])
        elif how == 2:
            lines[at] = self.one_of([b"  ", b"- ", b"? ", b""]) + lines[at].lstrip()
        elif how == 3:
            theirs = other.split(b"\n")
            begin = self.below(len(theirs))
            lines[at:at + self.below(2)] = theirs[begin:begin + 1 + self.below(4)]
        else:
            key, colon, _ = lines[at].partition(b":")
            lines[at] = key + colon + b" " + self.word()
        return b"\n".join(lines)

    def mutated(self, data, other):
        for _ in range(1 + self.below(4)):
            data = self.one_of([self.by_bytes, self.by_words, self.by_words, self.by_lines])(data, other)
        return data[:self.most]


class TooLong(Exception):
    """An input took longer than its time limit."""


class Fuzzer:
    """Runs a target. The target is a function of bytes that returns the kind of its result, and raises an exception
    for a finding."""

    def __init__(self, target, options):
        self.target = target
        self.options = options
        self.coverage = Coverage()
        self.forms = set()
        self.corpus = []
        self.runs = 0

    def run(self, data):
        """Runs an input. Returns true if the input reached new coverage."""
        self.runs += 1
        signal.setitimer(signal.ITIMER_REAL, self.options["timeout"])
        sys.settrace(self.coverage.called)
        try:
            form = self.target(data)
        finally:
            sys.settrace(None)
            signal.setitimer(signal.ITIMER_REAL, 0)
        new = bool(self.coverage.new) or form not in self.forms
        self.coverage.seen |= self.coverage.new
        self.coverage.new.clear()
        self.forms.add(form)
        return new

    def run_or_stop(self, data, keep=None):
        try:
            new = self.run(data)
        except Exception:  # pylint: disable=broad-except  # Any exception is a finding.
            traceback.print_exc()
            path = f"{self.options['artifact_prefix']}crash-{hashlib.sha1(data).hexdigest()}"
            pathlib.Path(path).write_bytes(data)
            print(f"finding: {path}", file=sys.stderr)
            self.finish(FINDING)
        if new:
            self.corpus.append(data)
            if keep is not None:
                (keep / hashlib.sha1(data).hexdigest()).write_bytes(data)

    def finish(self, status):
        # The format of this message is that of libFuzzer.
        print(f"#{self.runs} DONE cov: {len(self.coverage.seen)} ft: {len(self.forms)} "
              f"corp: {len(self.corpus)}\nstat::number_of_executed_units: {self.runs}", file=sys.stderr)
        sys.exit(status)

    def search(self, words, folders):
        began = time.monotonic()
        seeds = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
        for path in seeds:
            self.run_or_stop(path.read_bytes()[:self.options["max_len"]])
        if not self.corpus:
            self.corpus.append(b"")
        mutator = Mutator(self.options["seed"], words, self.options["max_len"])
        while self.runs < self.options["runs"] or self.options["runs"] < 0:
            if 0 < self.options["max_total_time"] < time.monotonic() - began:
                break
            # Half of the mutations use the 32 latest inputs of the corpus, which are the most promising.
            young = self.corpus[-32:] if mutator.below(2) else self.corpus
            data = mutator.mutated(mutator.one_of(young), mutator.one_of(self.corpus))
            self.run_or_stop(data, folders[0])
        self.finish(0)


def main(target):
    options = {"seed": 1, "runs": -1, "max_total_time": 0, "max_len": 4096, "timeout": 60, "artifact_prefix": "",
               "print_final_stats": 0}
    places = []
    for argument in sys.argv[1:]:
        name, equals, value = argument.removeprefix("-").partition("=")
        if not argument.startswith("-"):
            places.append(pathlib.Path(argument))
        elif equals and name in options:
            options[name] = value if name == "artifact_prefix" else int(value)
        else:
            sys.exit(f"{sys.argv[0]}: unknown option '{argument}'\n{__doc__}")
    if not places:
        sys.exit(f"{sys.argv[0]}: no folder of seeds\n{__doc__}")

    def alarm(_signal, _frame):
        raise TooLong(f"takes longer than {options['timeout']} s")

    signal.signal(signal.SIGALRM, alarm)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    fuzzer = Fuzzer(target, options)
    if all(place.is_file() for place in places):
        for place in places:
            fuzzer.run_or_stop(place.read_bytes())
        fuzzer.finish(0)
    words = words_of(PACKAGE / "dccvp/experiments") + words_of(PACKAGE / "dccvp/common")
    fuzzer.search(words, places)
