"""dccvp import repl: imports Renode's platform descriptions. Several files are read as one, in their order; `using`
names files that must also be given."""

import pathlib
import re

from dccvp.importers import machine
from dccvp.importers.source import Source, Word, base_name, quoted, read

SETTINGS = machine.SETTINGS
NAME = r"[A-Za-z_]\w*"
ENTRY = re.compile(rf"(?P<local>local\s+)?(?P<name>{NAME})\s*:\s*(?P<type>[A-Za-z_][\w.]*)?\s*(?P<rest>.*)")
ATTRIBUTE = re.compile(rf"(?P<name>{NAME})\s*:\s*(?P<value>.*)")
ROUTE = re.compile(r"(?P<from>[^>]*?)\s*->\s*(?P<to>.*)")
NUMBER = r"0[xX][0-9a-fA-F_]+|[0-9][0-9_]*"
# A place on the bus, also several in braces: ADDRESS, <ADDRESS, +SIZE>, <ADDRESS, END> or an object with `address`.
PLACE = re.compile(rf"sysbus\s*(?:<\s*(?P<begin>{NUMBER})\s*,\s*(?P<plus>\+)?\s*(?P<size>{NUMBER})\s*>"
                   rf"|(?P<base>{NUMBER})"
                   rf"|new\s+[\w.]+\s*\{{[^}}]*\baddress:\s*(?P<address>{NUMBER}))")
PROCESSORS = re.compile(r"CPU\.\w*(?:RiscV|RV32|RV64|VexRiscv|Ibex|CV32E40P|PicoRV|Minerva|Ri5cy)\w*", re.IGNORECASE)
KINDS = {"IRQControllers.CoreLevelInterruptor": "clint", "IRQControllers.PlatformLevelInterruptController": "plic",
         "UART.NS16550": "16550"}
MEMORIES = ("Memory.MappedMemory", "Memory.ArrayMemory")
DEFAULT_SPACE = "Antmicro.Renode.Peripherals."
READ_ONLY = re.compile(r"rom|flash|xip|otp", re.IGNORECASE)


class Entry:
    """An entry of a platform description: its type, registration and attributes. Later entries of the same name add
    to the first entry."""

    def __init__(self, name, source):
        self.name, self.type, self.at, self.source = name, "", 0, source
        self.rest = ""
        self.attributes: dict = {}  # {name of an attribute: Word of its value}
        self.routes: list = []  # (begin, end, offset) of translated address ranges


def without_comments(source):
    """Returns the text with comments and the content of long texts replaced by blanks, so that offsets stay.
    InputError for a comment or text that does not end."""
    text, out, at = source.text, [], 0
    for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*|\'\'\'', text):
        if match.start() < at:
            continue
        out.append(text[at:match.start()])
        end, closes = match.end(), {"/*": "*/", "'''": "'''"}.get(match[0])
        if closes:
            end = text.find(closes, match.end())
            if end < 0:
                source.fail(match.start(), f"a {'comment' if closes == '*/' else 'text'} that does not end")
            end += len(closes)
        piece = text[match.start():end]
        if match[0] == "'''":
            piece = '"' + " " * (len(piece) - 2) + '"'
        out.append(piece if piece[0] == '"' else re.sub(r"[^\n]", " ", piece))
        at = end
    return "".join(out) + text[at:]


def _bracket_depth(line):
    plain = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
    return sum(plain.count(one) for one in "{[<") - plain.replace("->", "  ").count(">") - sum(
        plain.count(one) for one in "}]")


def logical_lines(source):
    """Yields (offset, indent, text) of each line; a line with an unclosed brace includes the following lines."""
    held, begin, indent, depth = "", 0, 0, 0
    at = 0
    for line in without_comments(source).split("\n"):
        text = line.rstrip()
        if text.strip() or held:
            if not held:
                begin = at + len(text) - len(text.lstrip())
                indent = len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())
            held += (" " if held else "") + text.strip()
            depth = _bracket_depth(held)
            if depth < 0:
                source.fail(begin, "a bracket that closes what none has opened")
            if depth == 0:
                yield begin, indent, held
                held = ""
        at += len(line) + 1
    if held:
        source.fail(begin, "a bracket that does not close")


class Description:
    """All entries of the files, by name."""

    def __init__(self):
        self.entries: dict = {}
        self.using: list = []  # (name, source, offset) of files named by `using`

    def add_file(self, source):
        entry, code = None, None
        for at, indent, text in logical_lines(source):
            if indent == 0:
                code = None
                entry = self._head(source, at, text)
            elif entry is None:
                source.fail(at, "an attribute without an entry: entries begin at the line's begin")
            elif code is not None and indent > code:
                continue  # skips a line of Renode's monitor below init: or reset:
            else:
                code = indent if re.fullmatch(r"(?:pre)?init(?:\s+add)?\s*:|reset\s*:", text) else None
                if code is None:
                    self._attribute(source, entry, at, text)

    def _head(self, source: Source, at, text):
        using = re.fullmatch(r'using\s+"([^"]*)"(?:\s+prefixed\s+"[^"]*")?', text)
        if using:
            self.using.append((using[1], source, at))
            return None
        match = ENTRY.fullmatch(text)
        if not match:
            source.fail(at, f"expected NAME: TYPE @ PLACE, not {quoted(text)}")
        rest = match["rest"]
        if rest and not rest.startswith("@") and not re.match(r"as\s+\"", rest):
            source.fail(at, f"expected '@' behind the type of {match['name']}, not {quoted(rest)}")
        entry = self.entries.setdefault(match["name"], Entry(match["name"], source))
        if match["type"]:
            if entry.type:
                source.fail(at, f"{match['name']} is created twice")
            entry.type = match["type"].removeprefix(DEFAULT_SPACE)
        if not entry.at or match["type"]:
            entry.source, entry.at = source, at
        if rest.startswith("@"):
            entry.rest = rest[1:].strip()
        return entry

    def _attribute(self, source, entry, at, text):
        route = ROUTE.fullmatch(text)
        match = ATTRIBUTE.fullmatch(text)
        if route and not match:
            if not route["to"]:
                source.fail(at, "a connection without its end")
            entry.routes.append((route["from"].strip(), route["to"], at))
        elif match:
            if not match["value"]:
                source.fail(at, f"{match['name']} without a value")
            entry.attributes[match["name"]] = Word(match["value"], at + text.index(":") + 1)
        else:
            source.fail(at, f"expected NAME: VALUE or FROM -> TO, not {quoted(text)}")


def number(text):
    return int(text.replace("_", ""), 16 if text[:2].lower() == "0x" else 10)


def value_of(entry, name, most=1 << 64):
    """Returns the whole number of an attribute; None if there is none. InputError if the attribute is no number."""
    word = entry.attributes.get(name)
    if word is None:
        return None
    if not re.fullmatch(NUMBER, word.text) or number(word.text) > most:
        entry.source.fail(entry.at, f"{name} of {entry.name}: expected a number up to {most}, not {quoted(word.text)}")
    return number(word.text)


def places_of(entry):
    """Returns [(base, size or 0)] of the entry on the system bus. InputError for a place that cannot be read."""
    found = []
    for match in PLACE.finditer(entry.rest):
        if match["base"] or match["address"]:
            found.append((number(match["base"] or match["address"]), 0))
        else:
            base, size = number(match["begin"]), number(match["size"])
            if not match["plus"] and size < base:
                entry.source.fail(entry.at, f"the range of {entry.name} ends before it begins")
            found.append((base, size if match["plus"] else size - base))
    if not found and re.match(r"sysbus\s*[<0-9]", entry.rest):
        entry.source.fail(entry.at, f"the place of {entry.name} cannot be read: {quoted(entry.rest)}")
    return found


def _interrupt(entry, names):
    """Returns the number of the interrupt that the entry drives at a controller whose name is in `names`; None
    without one."""
    for _, to, _ in entry.routes:
        match = re.match(rf"({NAME})@([0-9]+)", to)
        if match and match[1] in names:
            return int(match[2])
    return None


def _hart(entry, found):
    isa = entry.attributes.get("cpuType", Word('""', 0)).text.strip('"')
    clock = value_of(entry, "PerformanceInMips", 10**6)
    wanted = value_of(entry, "hartId" if "hartId" in entry.attributes else "HartId", 1 << 32)
    found.harts.append(machine.Hart(len(found.harts) if wanted is None else wanted, isa, (clock or 0) * 10**6))
    return clock is not None


def read_files(paths, settings):
    description, sources = Description(), [read(path) for path in paths]
    for source in sources:
        description.add_file(source)
    if not description.entries:
        sources[0].fail(0, "the file has no entry, NAME: TYPE @ PLACE")
    found, ignored, mips = machine.Machine(), [], False
    controllers = {entry.name for entry in description.entries.values() if KINDS.get(entry.type) == "plic"}
    for entry in description.entries.values():
        places = places_of(entry)
        if PROCESSORS.fullmatch(entry.type):
            mips = _hart(entry, found) or mips
        elif entry.type.startswith("CPU."):
            entry.source.fail(entry.at, f"{entry.name} is a {entry.type}; hosts have RISC-V harts")
        elif entry.type in MEMORIES:
            size = value_of(entry, "size")
            if not size and places:
                entry.source.fail(entry.at, f"memory {entry.name} without a size")
            in_ram = any(base == machine.RAM_BASE for base, _ in places)
            kind = "rom" if READ_ONLY.search(entry.name) and not in_ram else "ram"
            found.regions += [machine.Region(entry.name, kind, entry.type, base, size or 0, entry.at)
                              for base, _ in places[:1]]
            ignored += [f"{entry.name} again at 0x{base:x}" for base, _ in places[1:]]
        elif entry.type and places:
            kind = KINDS.get(entry.type, "")
            interrupt = _interrupt(entry, controllers)
            base, length = places[0]
            found.regions.append(machine.Region(entry.name, kind, entry.type, base, length, entry.at, interrupt))
            if kind == "clint":
                found.timebase = value_of(entry, "frequency", 10**12) or 0
        elif entry.type:
            ignored.append(f"{entry.name} ({entry.type}), which is not on the system bus")
        elif entry.name != "sysbus":
            entry.source.fail(entry.at, f"{entry.name} has no type; is a file missing that `using` names?")
    imported = machine.imported_from(found, sources[0], settings)
    imported.notes.read.insert(0, f"{', '.join(base_name(source.name) for source in sources)}: "
                               f"{len(description.entries)} entries")
    given = {pathlib.PurePath(source.name).name for source in sources}
    imported.notes.ignored += [f'using "{name}": give that file as well, before this one'
                               for name, _, _ in description.using if pathlib.PurePath(name).name not in given]
    imported.notes.ignored += ignored
    if mips:
        imported.notes.assumed.append("a clock of PerformanceInMips MHz, one instruction a cycle")
    if "sysbus" in description.entries:
        imported.notes.ignored.append("sysbus: commands and tags of the bus")
    return imported
