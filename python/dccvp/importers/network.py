"""The result of an importer: nodes, links, flows, settings, and notes for the user."""

import dataclasses
import fractions
import re

MOST_NODES = 100_000
MOST_LINKS = 1_000_000
MOST_FLOWS = 50_000_000


@dataclasses.dataclass
class Node:
    """A node of the network. `origin`: the node's name in the source. `forwards`: false for a switch that passes
    only packets of its own hosts. `passes`: true for a host that forwards packets of other hosts."""

    name: str
    is_host: bool
    origin: str
    forwards: bool = True
    passes: bool = False


@dataclasses.dataclass
class Link:
    """A cable between two nodes, given by index. Rate in bit/s, delay one way in ps, loss of a packet each way,
    preamble and gap in bytes."""

    a: int
    b: int
    rate: int
    delay: int
    loss: fractions.Fraction = fractions.Fraction(0)
    overhead: int = 20


@dataclasses.dataclass
class Flow:
    """A flow between hosts, given by index into the network's nodes; start in ps. name: other flows wait for the flow
    by this name; after: (name, True if the end of its sending counts) of each awaited flow; delay after these, in ps.
    computes: the entry is no flow, but a computation of `source` of so many ps."""

    source: int
    target: int
    priority: int
    port: int
    bytes: int
    start: int
    name: str = ""
    after: tuple = ()
    delay: int = 0
    computes: int | None = None
    processor: int = 0


@dataclasses.dataclass
class Notes:
    """Notes of an import for the user: items that were read, ignored or assumed, and items that the platform cannot
    express."""

    read: list = dataclasses.field(default_factory=list)
    ignored: list = dataclasses.field(default_factory=list)
    assumed: list = dataclasses.field(default_factory=list)
    not_expressed: list = dataclasses.field(default_factory=list)

    def sections(self):
        return (("Read", self.read), ("Ignored", self.ignored), ("Assumed", self.assumed),
                ("Not expressed", self.not_expressed))


@dataclasses.dataclass
class Imported:
    """The result of an importer.

    settings: sections of the YAML file besides topology, traffic and faults; traffic, faults: entries of these; flows:
    {name of a traffic file: flows}, whose starts are later than time_offset, in ps; lasts: when the operations of the
    traffic would end on an idle network, in ps; shape: the section topology, if the platform has the shape of nodes and
    links; files: {name: text} to write beside the YAML file; tables: (title, head, rows) for the page of the import;
    part: the file that takes the settings, if they are to be included elsewhere as well; awaited: names of flows for
    which entries of `traffic` wait.
    """

    nodes: list = dataclasses.field(default_factory=list)
    links: list = dataclasses.field(default_factory=list)
    settings: dict = dataclasses.field(default_factory=dict)
    traffic: list = dataclasses.field(default_factory=list)
    flows: dict = dataclasses.field(default_factory=dict)
    faults: list = dataclasses.field(default_factory=list)
    shape: dict = dataclasses.field(default_factory=dict)
    files: dict = dataclasses.field(default_factory=dict)
    tables: list = dataclasses.field(default_factory=list)
    time_offset: int = 0
    lasts: int = 0
    part: str = ""
    awaited: set = dataclasses.field(default_factory=set)
    notes: Notes = dataclasses.field(default_factory=Notes)

    def hosts(self):
        return [index for index, node in enumerate(self.nodes) if node.is_host]

    def host_numbers(self):
        """Returns {index of a node: number of the host} of the hosts, in the order of the nodes."""
        return {index: number for number, index in enumerate(self.hosts())}

    def ends(self):
        """Yields (index of a node, link) for both ends of each link."""
        for link in self.links:
            yield link.a, link
            yield link.b, link

    def neighbours(self):
        """Returns the neighbours of each node, once for each link."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for link in self.links:
            found[link.a].append(link.b)
            found[link.b].append(link.a)
        return found


def reached(neighbours, first, through=lambda node: True):
    """Returns the set of the nodes that can be reached from `first` over nodes for which `through` is true."""
    found, open_ = {first}, [first]
    while open_:
        new = {node for node in neighbours[open_.pop()] if through(node)} - found
        found |= new
        open_.extend(new)
    return found


def unique_name(wanted, taken):
    """Returns a node name that the platform accepts and that is not in the set `taken`; adds the name to the set."""
    name = re.sub(r"[^\w+-]", "_", wanted).replace("--", "-_").replace("->", "_") or "node"
    name = name[:60]
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    taken.add(found)
    return found


def decimal(value):
    """Returns a fraction as decimal text, rounded to twelve decimals."""
    whole, rest = divmod(round(fractions.Fraction(value) * 10**12), 10**12)
    return f"{whole}.{rest:012d}".rstrip("0").rstrip(".")


def in_units(value, units, decimals):
    """Returns a whole number as text in the largest unit that needs at most `decimals` decimals. `units`: (name,
    size), the largest first; the last unit has the size 1."""
    for name, size in units:
        if value >= size and value * 10**decimals % size == 0:
            return decimal(fractions.Fraction(value, size)) + name
    return f"{value}{units[-1][0]}"


def rate_text(bits):
    return in_units(bits, (("Gbps", 10**9), ("Mbps", 10**6), ("kbps", 1000), ("bps", 1)), 9)


def time_text(ps):
    return in_units(ps, (("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 1000), ("ps", 1)), 3) if ps else "0us"


def size_text(count):
    for name, size in (("MiB", 2**20), ("MB", 10**6), ("KB", 1000), ("KiB", 1024)):
        if count >= size and count % size == 0:
            return f"{count // size}{name}"
    return f"{count}B"


def seconds_text(ps):
    """Returns seconds with at most twelve decimals, as traffic files have them."""
    return decimal(fractions.Fraction(ps, 10**12))


def host_list(numbers):
    """Returns a list of host numbers as the platform writes it: [0, 4..7]."""
    parts, begin = [], 0
    for place in range(1, len(numbers) + 1):
        if place < len(numbers) and numbers[place] == numbers[place - 1] + 1:
            continue
        first, last = numbers[begin], numbers[place - 1]
        parts.append(first if first == last else f"{first}..{last}")
        begin = place
    return parts


def plural(count, one, many=""):
    return f"{count} {one if count == 1 else many or one + 's'}"


def some(items, most=6):
    """Returns the items as text for a sentence, cut after `most` items."""
    items = list(items)
    shown = ", ".join(map(str, items[:most]))
    return shown + (f" and {len(items) - most} more" if len(items) > most else "")
