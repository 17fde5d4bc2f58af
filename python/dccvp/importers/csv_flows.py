"""dccvp import csv: imports lists of flows as comma-separated values, with or without a head, or as rows of the
pFabric simulator; --set gives a column mapping and units."""

import csv
import fractions
import re

from dccvp.common.ending import InputError
from dccvp.importers import hpcc_flows
from dccvp.importers.htsim_topology import star
from dccvp.importers.network import Flow, Node, plural, some, unique_name
from dccvp.importers.source import Word, base_name, exact, quoted, read

SETTINGS = {"columns": "names or numbers (from 1) of time, src, dst, bytes, prio: time=start,src=a,dst=b,bytes=size",
            "time": "unit of times: s, ms, us, ns or ps (by the head's time_us; s)",
            "size": "unit of sizes: B, KB, MB, KiB, MiB or packets (B)",
            "packet": "bytes of a packet (1460)",
            "hosts": "number of hosts; more than the greatest number"}
TIMES = {"s": 10**12, "ms": 10**9, "us": 10**6, "ns": 10**3, "ps": 1}
SIZES = {"b": 1, "byte": 1, "bytes": 1, "kb": 1000, "mb": 10**6, "gb": 10**9, "kib": 1024, "mib": 2**20}
FIELDS = {"time": ("time", "start", "timestamp", "arrival", "t", "start_time", "starttime"),
          "src": ("src", "source", "from", "sender", "src_ip", "source_ip"),
          "dst": ("dst", "destination", "to", "receiver", "dest", "target", "dst_ip", "dest_ip"),
          "bytes": ("bytes", "size", "length", "flow_size", "flowsize", "size_bytes"),
          "prio": ("prio", "priority", "class", "pg")}
NEEDED = ("time", "src", "dst", "bytes")
DECIMAL_COMMA = re.compile(r"[0-9]*,[0-9]+(?:[eE][-+]?[0-9]{1,3})?")
MOST_BYTES, LATEST, MOST_HOSTS = 2**40, 10**18, 4096


def _rows(source):
    """Returns ([[Word, …], …] of the lines of a CSV file that are neither empty nor comments, number of values with
    a decimal comma, which become points). Only files with semicolons between the values have decimal commas."""
    lines = [(at, line) for at, line in source.lines() if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        source.fail(0, "no flow in the file")
    separator = next((c for c in ",;\t" if c in lines[0][1]), None)
    if separator == "," and all(";" in line for _, line in lines):
        separator = ";"
    rows, commas = [], 0
    for at, line in lines:
        if separator is None:
            rows.append(source.words_of(at, line))
            continue
        try:
            cells = next(csv.reader([line], delimiter=separator, strict=True))
        except (csv.Error, StopIteration) as error:
            source.fail(at, f"no row of values: {error}")
        place, row = at, []
        for cell in cells:
            text = cell.strip()
            if separator == ";" and DECIMAL_COMMA.fullmatch(text):
                text, commas = text.replace(",", "."), commas + 1
            row.append(Word(text, place))
            place = min(place + len(cell) + 1, at + len(line))
        rows.append(row)
    return rows, commas


def _unit_in(name, units):
    """Returns (name without unit, unit) of a column heading such as time_us or size [KB]; unit None if the heading
    names none."""
    match = re.fullmatch(r"(.*?)[ _(\[.]*(" + "|".join(units) + r")[)\]]?", name.strip().lower())
    return (match[1].strip(" _"), match[2]) if match and match[1].strip(" _") else (name.strip().lower(), None)


class Columns:
    """Meaning and unit of each CSV column."""

    def __init__(self, source, rows, settings):
        self.source, self.place, self.head, self.pfabric = source, {}, False, False
        self.time, self.size = settings.get("time"), settings.get("size")
        if self.time is not None and self.time not in TIMES:
            raise InputError(f"--set time={self.time}: one of {', '.join(TIMES)}")
        if self.size is not None and self.size.lower() not in (*SIZES, "packets"):
            raise InputError(f"--set size={self.size}: one of B, KB, MB, GB, KiB, MiB, packets")
        first = rows[0]
        self.head = all(exact(word.text) is None for word in first if word.text) and len(first) > 1
        if "columns" in settings:
            self._as_told(settings["columns"], first)
        elif self.head:
            self._by_head(first)
        elif len(first) in (4, 5):
            self.place = dict(zip(FIELDS, range(len(first))))
        elif len(first) == 9:  # A row of the pFabric simulator has nine fields: ID START x x SIZE_PACKETS x x SRC DST.
            self.place = {"time": 1, "bytes": 4, "src": 7, "dst": 8}
            self.size = self.size or "packets"
            self.pfabric = True
        else:
            source.fail(first[0], f"{plural(len(first), 'column')} without a head: time,src,dst,bytes[,prio], or name "
                        "them with --set columns=")
        missing = [name for name in NEEDED if name not in self.place]
        if missing:
            source.fail(first[0], f"no column for {', '.join(missing)} in the head; --set columns=time=NAME,... names "
                        "them")

    def _as_told(self, text, first):
        names = {word.text.lower(): number for number, word in enumerate(first)} if self.head else {}
        for part in text.split(","):
            field, equals, name = part.partition("=")
            if field not in FIELDS or not equals:
                raise InputError(f"--set columns={text}: expected FIELD=NAME with {', '.join(FIELDS)}")
            if name.lower() in names:
                self.place[field] = names[name.lower()]
                self._unit(field, _unit_in(name, TIMES if field == "time" else SIZES)[1])
            elif name.isdigit() and 1 <= int(name) <= len(first):
                self.place[field] = int(name) - 1
            else:
                self.source.fail(first[0], f"no column {quoted(name)}, which --set columns= names")

    def _by_head(self, first):
        for number, word in enumerate(first):
            for field, names in FIELDS.items():
                bare, unit = _unit_in(word.text, TIMES if field == "time" else SIZES)
                plain = word.text.strip().lower()
                if field in self.place or (plain not in names and bare not in names):
                    continue
                self.place[field] = number
                if plain not in names:
                    self._unit(field, unit)
                break

    def _unit(self, field, unit):
        if field == "time" and self.time is None:
            self.time = unit
        if field == "bytes" and self.size is None:
            self.size = unit

    def cell(self, row, field):
        """Returns the Word of a field; None if the column or the value is missing."""
        if field not in self.place:
            return None
        if self.place[field] >= len(row):
            if field in NEEDED:
                self.source.fail(row[-1], f"the row ends before its column {self.place[field] + 1}, {field}")
            return None
        word = row[self.place[field]]
        return word if word.text or field in NEEDED else None


def read_files(paths, settings):
    if len(paths) > 1:
        read(paths[1]).fail(0, "csv takes one file")
    source = read(paths[0])
    rows, commas = _rows(source)
    if len(rows[0]) == 1 and len(rows) > 1 and rows[0][0].text.isdigit() and len(rows[1]) in (4, 6):
        return _counted(source, settings)
    columns = Columns(source, rows, settings)
    body = rows[1:] if columns.head else rows
    packet = exact(settings.get("packet", "1460"))
    if packet is None or not 1 <= packet <= 65535:
        raise InputError(f"--set packet={settings['packet']}: 1 to 65535 bytes")
    if columns.pfabric:  # The pFabric simulator stops reading at the first line of another form.
        rest = next((place for place, row in enumerate(body) if len(row) != 9 or exact(row[0].text) is None), len(body))
        skipped, body = len(body) - rest, body[:rest]
    flows = [_flow(source, columns, row, packet) for row in body]
    if not flows:
        source.fail(0, "a head and no flow")
    names, numbered = _host_names(flows)
    result = _network(source, names, numbered, settings, flows[0][0])
    index = {name: place for place, name in enumerate(names)} if not numbered else {
        name: numbered[name] for name in names}
    made = []
    for at, src, dst, size, priority, start in flows:
        if src == dst:
            source.fail(at, f"{src} would send to itself")
        made.append(Flow(index[src], index[dst], priority, 100, size, start))
    ordered = sorted(made, key=lambda flow: flow.start)
    if ordered != made:
        result.notes.assumed.append("rows are not in the order of their starts; the flows are")
    result.flows["flows.flow"] = ordered
    result.notes.read.append(f"{base_name(source.name)}: {plural(len(made), 'flow')} between "
                             f"{plural(len(names), 'host')}")
    result.notes.assumed.append(f"times in {columns.time or 's'}, sizes in {columns.size or 'B'}")
    if commas:
        result.notes.assumed.append(f"commas in numbers are decimal points ({commas})")
    if columns.pfabric and skipped:
        result.notes.ignored.append(f"{plural(skipped, 'line')} from the first on that is no row of nine columns")
    used = set(columns.place.values())
    unused = [word.text for number, word in enumerate(rows[0]) if number not in used]
    if unused and columns.head:
        result.notes.ignored.append("columns: " + some(unused, 20))
    return result


def _flow(source, columns, row, packet):
    """Reads a flow: (Word, source's name, destination's name, bytes, priority, start in ps)."""
    cells = {field: columns.cell(row, field) for field in FIELDS}
    start = source.number(cells["time"], "a time", 0, LATEST) * TIMES[columns.time or "s"]
    if start > 10**18:
        source.fail(cells["time"], "a time after 1000000 s")
    unit = (columns.size or "B").lower()
    size = source.number(cells["bytes"], "a size", 0, MOST_BYTES) * (packet if unit == "packets" else SIZES[unit])
    size = round(size)
    if not 1 <= size <= MOST_BYTES:
        source.fail(cells["bytes"], f"a flow has 1 to {MOST_BYTES} bytes, not {quoted(cells['bytes'].text)}")
    priority = source.integer(cells["prio"], "a priority", 0, 7) if cells["prio"] else 0
    for field in ("src", "dst"):
        if not cells[field].text:
            source.fail(cells[field], f"no {field}")
    return cells["time"], cells["src"].text, cells["dst"].text, size, priority, round(fractions.Fraction(start))


def _host_names(flows):
    """Returns (names of the hosts, sorted by number if all names end in a number and are otherwise equal, else in
    order of appearance; {name: number})."""
    names = list(dict.fromkeys(name for flow in flows for name in flow[1:3]))
    parts = [match.groups() for match in (re.fullmatch(r"([A-Za-z_]*)([0-9]{1,6})", name) for name in names) if match]
    numbers = [int(number) for _, number in parts]
    if len(parts) == len(set(numbers)) == len(names) and len({prefix for prefix, _ in parts}) == 1:
        return names, dict(zip(names, numbers))
    return names, {}


def _network(source, names, numbered, settings, at):
    count = max(numbered.values()) + 1 if numbered else len(names)
    if "hosts" in settings:
        if not settings["hosts"].isdigit() or not count <= int(settings["hosts"]) <= MOST_HOSTS:
            raise InputError(f"--set hosts={settings['hosts']}: {count} to {MOST_HOSTS}")
        count = int(settings["hosts"])
    count = max(count, 2)
    if count > MOST_HOSTS:
        source.fail(at, f"{count} hosts; one switch has up to {MOST_HOSTS}")
    result = star(count, 100 * 10**9, 10**6)
    if not numbered:
        taken = {"s0"}
        result.shape = {}
        for place, name in enumerate(names):
            result.nodes[place] = Node(unique_name(name, taken), True, name)
        for place in range(len(names), count):
            result.nodes[place] = Node(unique_name(f"host{place}", taken), True, "none")
        result.notes.assumed.append("host numbers in the order in which names appear")
    else:
        prefix = re.sub("[0-9]+$", "", names[0])
        if prefix not in ("", "h"):
            result.shape = {}
            for place in range(count):
                result.nodes[place] = Node(f"{prefix}{place}", True, f"{prefix}{place}")
    result.notes.assumed.append(f"a network: {count} hosts on one switch, 100Gbps, 1us; the flow file fits any other "
                                "with as many hosts")
    return result


def _counted(source, settings):
    """Reads a count followed by rows of four or six columns: SRC DST BYTES START_NS, or the HPCC form."""
    rows = [words for words in (source.words_of(at, line) for at, line in source.lines()) if len(words) in (4, 6)]
    idents = [source.integer(word, "a host", 0, MOST_HOSTS - 1) for words in rows if words[0].text.isdigit()
              for word in words[:2]]
    result = _network(source, ["0"], {"0": max(idents, default=1)}, settings, 0)
    index = {number: number for number in range(len(result.nodes) - 1)}
    flows = hpcc_flows.read_flows(source, index, result.nodes, result.notes)
    result.flows["flows.flow"] = flows
    result.time_offset = 2 * 10**12 if flows and flows[0].start >= 2 * 10**12 else 0
    return result
