"""dccvp import sndlib: imports network files of SNDlib, in their native text and as XML. Demands become background
traffic."""

import fractions
import re

from dccvp.importers import geography
from dccvp.importers.graphml import children, local, parse
from dccvp.importers.network import Imported, Link, Node, plural, rate_text, some, unique_name
from dccvp.importers.source import Word, Words, base_name, quoted, read

SETTINGS = {**geography.SETTINGS, "unit": "of capacities and demands, as a rate (by META, else 1Mbps)"}
UNITS = {"KBITPERSEC": 10**3, "MBITPERSEC": 10**6, "GBITPERSEC": 10**9, "BITPERSEC": 1, "STM1": 155_520_000}
TOKEN = re.compile(r"[()]|[^\s()]+")
SECTIONS = ("META", "NODES", "LINKS", "DEMANDS", "ADMISSIBLE_PATHS")


class Parts:
    """The parts of a network file. nodes: [(Word, x, y)]; links: [(Word, source, target, capacity, module)];
    demands: [(Word, source, target, value)]; meta: {name: text}."""

    def __init__(self, source):
        self.source = source
        self.nodes: list = []
        self.links: list = []
        self.demands: list = []
        self.meta: dict[str, str] = {}
        self.sections: list[str] = []


def read_native(source):
    parts = Parts(source)
    if not source.text.lstrip().startswith("?SNDlib native format"):
        source.fail(0, "the first line is '?SNDlib native format; type: network; version: 1.0'")
    begin = source.text.find("\n") + 1
    if begin == 0:
        source.fail(len(source.text), "the file ends behind its first line")
    body = re.sub(r"#[^\n]*", lambda match: " " * len(match[0]), source.text)
    reader = _Native(source, TOKEN.finditer(body, begin))
    while reader.peek() is not None:
        section = reader.next("a section")
        if section.text not in SECTIONS:
            source.fail(section, f"expected a section ({', '.join(SECTIONS)}), not {quoted(section.text)}")
        parts.sections.append(section.text)
        reader.expect("(")
        while not reader.take(")"):
            if section.text == "META":
                _meta(reader, parts)
            elif section.text == "ADMISSIBLE_PATHS":
                reader.skip_entry()
            else:
                _entry(reader, parts, section.text)
    return parts


class _Native(Words):
    """Reads the tokens of a native SNDlib file in order."""

    def take(self, text):
        """Consumes the next token and returns True if the token is `text`."""
        word = self.peek()
        if word is None or word.text == text:
            self.next(quoted(text))
            return True
        return False

    def expect(self, text):
        word = self.next(quoted(text))
        if word.text != text:
            self.source.fail(word, f"expected {quoted(text)}, not {quoted(word.text)}")

    def name(self, what):
        word = self.next(what)
        if word.text in "()":
            self.source.fail(word, f"expected {what}, not {quoted(word.text)}")
        return word

    def number(self, what, least=0, most=10**18):
        return self.source.number(self.name(what), what, least, most)

    def group(self, what):
        """Reads the words of a parenthesised group."""
        self.expect("(")
        words = []
        while not self.take(")"):
            words.append(self.name(what))
        return words

    def skip_entry(self):
        depth = 0
        self.name("an entry")
        while True:
            word = self.next("')'")
            depth += {"(": 1, ")": -1}.get(word.text, 0)
            if depth == 0 and word.text == ")":
                return


def _meta(reader, parts):
    name = reader.name("a name")
    if not reader.take("="):
        return
    words = []
    line = parts.source.line_of(name.at)
    while (word := reader.peek()) and word.text != ")" and parts.source.line_of(word.at) == line:
        words.append(reader.next("a value").text)
    parts.meta[name.text] = " ".join(words)


def _entry(reader, parts, section):
    source, ident = parts.source, reader.name("an id")
    if section == "NODES":
        words = reader.group("a coordinate")
        if len(words) != 2:
            source.fail(ident, f"node {quoted(ident.text)} has two coordinates, not {len(words)}")
        parts.nodes.append((ident, *(source.number(word, "a coordinate", -10**9, 10**9) for word in words)))
        return
    ends = reader.group("a node")
    if len(ends) != 2:
        source.fail(ident, f"{quoted(ident.text)} has two ends, not {len(ends)}")
    if section == "LINKS":
        installed = reader.number("a capacity")
        for what in ("a cost", "a cost", "a cost"):
            reader.number(what)
        modules = [source.number(word, "a capacity or cost") for word in reader.group("a module")]
        parts.links.append((ident, *ends, installed, min((m for m in modules[::2] if m > 0), default=0)))
    else:
        reader.number("a routing unit")
        value = reader.number("a demand")
        longest = reader.name("a path's greatest length")
        if longest.text != "UNLIMITED":
            source.number(longest, "a path's greatest length")
        parts.demands.append((ident, *ends, value))


def read_xml(source):
    parts, root = Parts(source), parse(source)
    if local(root) != "network":
        source.fail(0, f"the root is {quoted(local(root))}, not network")

    def at(element):
        ident = element.get("id") or ""
        return Word(ident, max(source.text.find(f'id="{ident}"'), 0))

    def one(element, name):
        found = [child for child in element.iter() if local(child) == name]
        if not found:
            source.fail(at(element), f"{quoted(element.get('id') or '')} has no {name}")
        text = (found[0].text or "").strip()
        return Word(text, at(element).at)

    for element in root.iter():
        kind, parent = local(element), at(element)
        if kind == "node" and children(element, "coordinates"):
            parts.nodes.append((parent, *(source.number(one(element, axis), "a coordinate", -10**9, 10**9)
                                          for axis in "xy")))
        elif kind == "link":
            capacities = {}
            for module in element.iter():
                if local(module) in ("preInstalledModule", "addModule"):
                    value = source.number(one(module, "capacity"), "a capacity")
                    capacities.setdefault(local(module), []).append(value)
            parts.links.append((parent, one(element, "source"), one(element, "target"),
                                sum(capacities.get("preInstalledModule", [])),
                                min((c for c in capacities.get("addModule", []) if c > 0), default=0)))
        elif kind == "demand":
            parts.demands.append((parent, one(element, "source"), one(element, "target"),
                                  source.number(one(element, "demandValue"), "a demand")))
        elif kind == "meta":
            parts.meta.update({local(child): (child.text or "").strip() for child in element})
    return parts


def _unit(parts, settings, notes):
    """Returns the number of bit/s in the file's unit of capacity."""
    if "unit" in settings:
        return geography.choices({"rate": settings["unit"]})["rate"]
    said = parts.meta.get("unit", "").strip().upper()
    if said in UNITS:
        return UNITS[said]
    notes.assumed.append(f"capacities and demands in Mb/s: the file states {quoted(said) if said else 'no unit'} "
                         "(--set unit=1Gbps)")
    return 10**6


def read_files(paths, settings):
    choice = geography.choices({key: value for key, value in settings.items() if key != "unit"})
    if len(paths) > 1:
        read(paths[1]).fail(0, "sndlib takes one file")
    source = read(paths[0])
    parts = read_xml(source) if source.text.lstrip().startswith("<") else read_native(source)
    imported = Imported()
    notes, taken = imported.notes, set()
    index: dict = {}
    for ident, *_ in parts.nodes:
        if ident.text in index:
            source.fail(ident, f"node {quoted(ident.text)} is there twice")
        index[ident.text] = len(imported.nodes)
        imported.nodes.append(Node(unique_name(ident.text, taken), False, ident.text))
    unit = _unit(parts, settings, notes)
    geographic = all(abs(x) <= 180 and abs(y) <= 90 for _, x, y in parts.nodes)
    _links(parts, imported, index, unit, geographic, choice)
    if not imported.links:
        source.fail(0, "no link in the file")
    routers = list(range(len(imported.nodes)))
    geography.add_hosts(imported, routers, choice)
    _demands(parts, imported, index, unit, choice["hosts"])
    notes.read.append(f"{base_name(source.name)}: {plural(len(parts.nodes), 'node')}, "
                      f"{plural(len(parts.links), 'link')}, {plural(len(parts.demands), 'demand')}")
    if "ADMISSIBLE_PATHS" in parts.sections:
        notes.not_expressed.append("ADMISSIBLE_PATHS: routes are the shortest")
    return imported


def _ends(parts, index, a, b):
    for end in (a, b):
        if end.text not in index:
            parts.source.fail(end, f"no node {quoted(end.text)}")
    return index[a.text], index[b.text]


def _links(parts, imported, index, unit, geographic, choice):
    notes, chosen, unknown = imported.notes, [], []
    for ident, a, b, installed, module in parts.links:
        ends = _ends(parts, index, a, b)
        if ends[0] == ends[1]:
            parts.source.fail(ident, f"link {quoted(ident.text)} leads from a node to itself")
        capacity = installed or module
        if not installed and module:
            chosen.append(ident.text)
        if not capacity:
            unknown.append(ident.text)
        rate = round(capacity * unit) if capacity else choice["rate"]
        delay = choice["delay"]
        if geographic:
            a_place, b_place = [tuple(map(float, parts.nodes[end][1:])) for end in ends]
            delay = min(geography.delay_between(a_place, b_place, choice["detour"]), 10**12)
        imported.links.append(Link(ends[0], ends[1], geography.in_range(rate), delay))
    if chosen:
        notes.assumed.append(f"links without installed capacity have their smallest module: {some(chosen)}")
    if unknown:
        notes.assumed.append(f"links without any capacity (--set rate): {some(unknown)}")
    notes.assumed.append(f"coordinates are degrees: 5 us/km times {choice['detour']:g}" if geographic else
                         "coordinates are no degrees: --set delay holds for all links")


def _demands(parts, imported, index, unit, hosts):
    small, rates = [], []
    for ident, a, b, value in parts.demands:
        ends = _ends(parts, index, a, b)
        rate = round(fractions.Fraction(value) * unit)
        if ends[0] == ends[1]:
            parts.source.fail(ident, f"demand {quoted(ident.text)} leads from a node to itself")
        if rate < 1000:
            small.append(ident.text)
            continue
        rates.append(rate)
        imported.traffic.append({"kind": "background", "from": ends[0] * hosts, "to": ends[1] * hosts,
                                 "rate": rate_text(min(rate, 10**13))})
    if small:
        imported.notes.ignored.append(f"demands below 1 kb/s: {some(small)}")
    if rates:
        imported.notes.assumed.append("a demand is background traffic from the first host of a node to the first host "
                                      "of another")
