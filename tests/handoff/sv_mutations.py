"""Mutations of SystemVerilog source text: where an operator can be applied, what it changes, where its expression ends.

A mutation changes one token, condition or statement that is executed. Declarations, parameters, port lists, headers of
loops, generate conditions and elaboration checks are left as they are. Sources have one module or package a file.
"""
import collections
import dataclasses
import functools
import re

CHOSEN = "dcc_mutant_pkg::chosen"  # See with_choices().
CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
# What a survivor in such text would mean, by the words of the line and the module. The first that fits counts.
AREAS = (("interrupts", r"irq|intr|raise"), ("locks", r"regwen|\block|_lock"),
         ("parity", r"parity|checks|wrong|fault|error"), ("counters", r"stat_|statistics|count"))


@dataclasses.dataclass(frozen=True)
class Mutation:
    """One change of one file: text[start:end] becomes `new`; `operator` names the kind of change."""
    path: str
    start: int
    end: int
    old: str
    new: str
    operator: str
    line: int
    column: int
    source: str  # the line, without its indentation
    nth: int     # Index of the line among the equal lines of the file.
    area: str

    @property
    def module(self):
        return self.path.rsplit("/", 1)[-1].removesuffix(".sv")

    @property
    def name(self):
        """The mutation in a form that does not depend on lines elsewhere in the file."""
        short = [" ".join(text.split()) for text in (self.old, self.new)]
        nth = f" ({self.nth})" if self.nth > 1 else ""
        return f"{self.module} | {self.source}{nth} | {self.operator} at {self.column}: {short[0]} -> {short[1]}"

    def applied(self, text):
        return text[:self.start] + self.new + text[self.end:]


def end_of(text, start):
    """The position after the bracket that closes the bracket at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at + 1
    return len(text)


def blanked(text, start, end):
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


@functools.lru_cache(maxsize=None)
def executable(text):
    """The text with blanks, in the same places, for everything that is no executed statement."""
    text = without_comments(text)
    for pattern in (r"\(\*.*?\*\)", r"\b(?:module|package)\b[^;]*;(?:\s*import[^;]*;)?",
                    r"\btypedef\s+(?:struct|union|enum)[^{;]*\{[^}]*\}[^;]*;",
                    r"\b(?:parameter|localparam|typedef|import|genvar|export)\b[^;]*;",
                    r"(?m)^\s*(?:(?:automatic|static|var)\s+)?"
                    r"(?:logic|wire|reg|int|integer|bit|byte|input|output|function)\b[^;=]*",
                    r"\$(?:fatal|error)\b[^;]*;", r"\([^()]*\)(?='\()"):
        for found in list(re.finditer(pattern, text, re.S)):
            text = blanked(text, *found.span())
    for pattern in (r"\bfor\s*\(", r"#\s*\("):
        for found in list(re.finditer(pattern, text)):
            text = blanked(text, found.end() - 1, end_of(text, found.end() - 1))
    for start, end in conditions(text):
        names = re.findall(r"(?<![\w'.$])[A-Za-z_]\w*", text[start:end])
        if re.match(r"\)\s*begin\s*:\s*g_", text[end:]) or all(name[0].isupper() for name in names):
            text = blanked(text, start, end)
    return text


def conditions(text):
    """(start, end) of what stands in the parentheses of every `if`."""
    for found in re.finditer(r"\bif\s*\(", text):
        yield found.end(), end_of(text, found.end() - 1) - 1


def assigns(text, at):
    """Whether the `<=` at this place assigns instead of comparing."""
    before = text[text.rfind(";", 0, at) + 1:at]
    before = re.split(r"\b(?:begin|else|end|endcase)\b", before)[-1]
    depth, plain = 0, ""
    for letter in before:
        depth -= letter in ")]}"
        if depth <= 0:
            plain += letter
        depth += letter in "([{"
    return depth <= 0 and not re.search(r"(?<![=!<>])=(?!=)|<=", plain)


def more_by_one(found):
    """A sized number, one greater; the greatest becomes 0."""
    width, base, digits = found[1], found[2], found[3]
    value = (int(digits, 10 if base == "d" else 16) + 1) % (1 << int(width))
    return f"{width}'{base}{value:{'X' if base == 'h' else 'd'}}"


TOKENS = (("equal", r"==", "!="), ("equal", r"!=", "=="), ("less", r" < ", " <= "), ("less", r" > ", " >= "),
          ("less", r" >= ", " > "), ("logic", r"&&", "||"), ("logic", r"\|\|", "&&"), ("logic", r" & ", " | "),
          ("logic", r" \| ", " & "), ("logic", r" \^ ", " & "), ("not", r"!(?=[\w(&|^])", ""),
          ("not", r"~(?=[\w(&|^])", ""),
          ("arithmetic", r" \+ ", " - "), ("arithmetic", r" - ", " + "), ("shift", r"<<", ">>"), ("shift", r">>", "<<"),
          ("constant", r"\b1'b0\b", "1'b1"), ("constant", r"\b1'b1\b", "1'b0"), ("constant", r"(?<![\w'])'0", "'1"),
          ("constant", r"(?<![\w'])'1", "'0"))


def changes(code, text):
    """(start, end, new, operator) of every mutation of a file."""
    for operator, pattern, new in TOKENS:
        for found in re.finditer(pattern, code):
            yield found.start(), found.end(), new, operator
    for found in re.finditer(r"\b(\d+)'([dh])([0-9A-F]+)\b", code):
        if int(found[1]) > 0:
            yield found.start(), found.end(), more_by_one(found), "constant"
    for found in re.finditer(r"\blocalparam\b[^;=]*=\s*((?:(\d+)'([dh]))?([0-9A-F]+))\s*;", without_comments(text)):
        number = re.fullmatch(r"(\d+)'([dh])([0-9A-F]+)", found[1])
        yield found.start(1), found.end(1), more_by_one(number) if number else str(int(found[1]) + 1), "parameter"
    for found in re.finditer(r" <= ", code):
        if not assigns(code, found.start() + 1):
            yield found.start(), found.end(), " < ", "less"
    for found in re.finditer(r"[A-Za-z_]\w*(?:\[[^\]\n;]*\]|\.\w+)*(?=\s*(<=)\s)", code):
        if assigns(code, found.start(1)) and code[found.start() - 1] not in ".[":
            yield found.start(), code.index(";", found.end()), "", "assignment gone"
    for start, end in conditions(code):
        if code[start:end].strip():
            for operator, new in (("never", "1'b0 && ({})"), ("always", "1'b1 || ({})")):
                yield start, end, new.format(text[start:end]), operator


def reset_branches(code):
    """(start, end) of what an asynchronous reset does."""
    for found in re.finditer(r"\bif\s*\(!rst_ni\)", code):
        rest = re.compile(r"\s*begin\b").match(code, found.end())
        if not rest:
            yield found.end(), code.index(";", found.end()) + 1
            continue
        depth = 1
        for word in re.finditer(r"\b(begin|end)\b", code[rest.end():]):
            depth += 1 if word[1] == "begin" else -1
            if depth == 0:
                yield rest.end(), rest.end() + word.start()
                break


@functools.lru_cache(maxsize=None)
def mutations(path, text):
    """Every mutation of a file, in the order of the text."""
    code = executable(text)
    resets = list(reset_branches(code))
    alike, nth = collections.Counter(), []
    for source in text.split("\n"):
        alike[source.strip()] += 1
        nth.append(alike[source.strip()])
    found = []
    for start, end, new, operator in changes(code, text):
        begin = text.rfind("\n", 0, start) + 1
        line = text[begin:text.find("\n", start)]
        area = "resets" if any(a <= start < b for a, b in resets) else next(
            (name for name, words in AREAS if re.search(words, f"{path.rsplit('/', 1)[-1]} {line}")), "other")
        indent = len(line) - len(line.lstrip())
        number = text.count("\n", 0, start)
        found.append(Mutation(path, start, end, text[start:end], new, operator, number + 1,
                              start - begin - indent + 1, line.strip(), nth[number], area))
    return tuple(sorted(found, key=lambda one: (one.start, one.operator, one.new)))


def around(text, mutation):
    """(start, end) of the smallest expression that contains the mutation; of a lost assignment, its right side."""
    code = executable(text)
    if mutation.operator == "assignment gone":
        return code.index("<=", mutation.start) + 2, mutation.end
    line = code[code.rfind("\n", 0, mutation.start) + 1:mutation.start]
    if not line.strip() and code[mutation.end:mutation.end + 1] == ":":
        return mutation.start, mutation.end  # a label of a case
    start, depth = mutation.start, 0
    while start > 0:
        letter = code[start - 1]
        if depth == 0 and (letter in "([{,;" or letter == "=" and (
                code[start - 2] not in "=!<>" and code[start] != "=" or
                code[start - 2] == "<" and assigns(code, start - 2))):
            break
        depth += (letter in ")]}") - (letter in "([{")
        start -= 1
    end, depth = mutation.end, 0
    while end < len(code) and not (depth == 0 and code[end] in ")]},;"):
        depth += (code[end] in "([{") - (code[end] in ")]}")
        end += 1
    return start, end


def selectable(text, mutation):
    """The module with a port mutant_i that selects the mutation (1) or the original (0)."""
    start, end = around(text, mutation)
    left = text[mutation.start:text.index("<=", mutation.start)] if mutation.operator == "assignment gone" else None
    instead = left or text[start:mutation.start] + mutation.new + text[mutation.end:end]
    text = f"{text[:start]} (mutant_i ? ({instead}) : ({text[start:end]})){text[end:]}"
    header = re.search(r"\bmodule\s+\w+(?:\s+import[^;]*;)?\s*", text)
    if header is None:
        raise ValueError("no module")
    ports = header.end()
    if text[ports] == "#":
        ports = text.index("(", end_of(without_comments(text), text.index("(", ports)))
    return f"{text[:ports + 1]} input logic mutant_i, {text[ports + 1:]}"


TARGET = re.compile(r"(?<![\w.\]])(?:\{[^{};]*\}|[A-Za-z_]\w*(?:\[[^\]\n;]*\]|\.\w+)*)\s*<?=\s*$")


def extent(text, mutation):
    """(start, end, whether it is a statement) of what a choice must contain so that both its sides keep their widths:
    the statement if an assignment is lost or its right side is nothing but an unsized constant, else an expression.
    ValueError if there is no such place."""
    if mutation.operator == "parameter":
        raise ValueError("constants are computed before the simulation begins")
    if mutation.operator == "assignment gone":
        return mutation.start, mutation.end + 1, True
    start, end = around(text, mutation)
    if mutation.old in ("'0", "'1") and text[start:end].strip() == mutation.old:
        code = executable(text)
        before = code[code.rfind(";", 0, start) + 1:mutation.start]
        left = TARGET.search(before)
        if left is None or re.search(r"\bassign\s*$", before[:left.start()]):
            raise ValueError("the width of an unsized constant is not known")
        return mutation.start - len(before) + left.start(), code.index(";", mutation.end) + 1, True
    return start, end, False


def clusters(text, numbered):
    """[start, end, whether it is a statement, numbers] of the places that contain these {number: mutation} of a file,
    in order; a place within another is one with it."""
    found = []
    for start, end, statement, number in sorted(
            ((*extent(text, mutation), number) for number, mutation in numbered.items()),
            key=lambda one: (one[0], -one[1], one[3])):
        if found and start < found[-1][1]:
            if end > found[-1][1]:
                raise ValueError(f"mutation {number} is partly within another")
            found[-1][3].append(number)
        else:
            found.append([start, end, statement, [number]])
    return found


def with_choices(text, numbered):
    """The text with all these {number: mutation} of it. The number in CHOSEN selects one of them while a simulation
    runs; with 0 the text means what it did. Its lines stay where they are."""
    for start, end, statement, numbers in reversed(clusters(text, numbered)):
        before, after = ("begin ", " end") if statement else ("(", ")")
        for number in numbers:
            one = numbered[number]
            instead = text[start:one.start] + one.new + text[one.end:end]
            instead = " ".join(re.sub(r"//[^\n]*|/\*.*?\*/", " ", instead, flags=re.S).split())
            before += (f"if ({CHOSEN} == {number}) {instead} else " if statement else
                       f"{CHOSEN} == {number} ? ({instead}) : ")
        kept = text[start:end] if statement else f"({text[start:end]})"
        text = f"{text[:start]}{before}{kept}{after}{text[end:]}"
    return text


def without_comments(text):
    """The text without comments and strings, so that its brackets are those of the language."""
    for found in list(re.finditer(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", text, re.S)):
        text = blanked(text, *found.span())
    return text
