"""Reads flow.txt and trace.txt of the HPCC authors' simulator and of simulators derived from it."""

import itertools

from dccvp.importers.network import MOST_FLOWS, Flow, plural, some
from dccvp.importers.source import Words, base_name, exact

MOST_BYTES = 10**12
PICO = 10**12
LATEST = 10**6  # latest accepted start of a flow in s
QUEUES = 8


def is_empty_list(source):
    """True for a file whose count, of flows or of nodes, is 0."""
    return source.text.split(maxsplit=1)[0] == "0"


def is_flow_list(source):
    """True if a file looks like a list of flows: a count, then rows of six words, or of four."""
    if is_empty_list(source):
        return True
    lines = [line.split() for _, line in source.lines() if line.strip()]
    if not lines or not lines[0][0].isdigit():
        return False
    if len(lines[0]) == 1 and len(lines) > 1:
        return len(lines[1]) in (4, 6) and all(exact(word) is not None for word in lines[1])
    numbers = itertools.takewhile(lambda word: exact(word) is not None, source.text.split())
    return len(list(numbers)) == 1 + 6 * int(lines[0][0])


def read_flows(source, index, nodes, notes, payload=1000):
    """Reads the flows of a file, with hosts as indices. `index`: {id: index of the node}; `payload`: bytes of a packet,
    for the form of 2015, which counts packets."""
    words = Words(source)
    count = words.integer("the number of flows", 0, MOST_FLOWS)
    rows = [line.split() for _, line in source.lines() if line.strip()]
    columns = 4 if len(rows) > 1 and len(rows[0]) == 1 and len(rows[1]) == 4 else 6
    read_row = {4: _row_of_four, 6: _row_of_six}[columns]
    packets = columns == 6 and _counts_packets(source)
    flows, last = [], -1
    for number in range(count):
        what = f"flow {number + 1} of {count}"
        first = words.peek() or words.next(what)
        flow = read_row(words, what, packets, payload)
        for ident, which in ((flow[0], "source"), (flow[1], "destination")):
            if ident not in index:
                source.fail(first, f"{what}: the topology has no node {ident} with a link, the {which}")
            if not nodes[index[ident]].is_host:
                source.fail(first, f"{what}: the {which} {ident} is a switch")
        if flow[0] == flow[1]:
            source.fail(first, f"{what}: host {flow[0]} would send to itself")
        if flow[5] < last:
            source.fail(first, f"{what} starts before the one above; the flows are in the order of their starts")
        last = flow[5]
        flows.append(Flow(index[flow[0]], index[flow[1]], *flow[2:]))
    _note(source, words, flows, count, notes, packets)
    return flows


def _counts_packets(source):
    """True for rows of the simulator of 2015, `SRC DST PRIORITY PACKETS START END`: END is later than START, and
    either the fourth field is no valid port or the fifth is no number of bytes."""
    words = source.text.split()[1:7]
    if len(words) < 6 or not words[3].isdigit():
        return False
    start, end = exact(words[4]), exact(words[5])
    return None not in (start, end) and start < end and (int(words[3]) > 65535 or "." in words[4])


def _row_of_six(words, what, packets, payload):
    source, target = (words.integer(f"{what}, its {end}", 0, 2**32 - 1) for end in ("source", "destination"))
    priority = words.integer(f"{what}, its priority group", 0, QUEUES - 1)
    if packets:
        size = words.integer(f"{what}, its packets", 1, MOST_BYTES // payload) * payload
        start = words.number(f"{what}, its start in seconds", 0, LATEST)
        words.number(f"{what}, its end in seconds", 0, 10**9)
        return source, target, priority, 100, size, round(start * PICO)
    port = words.integer(f"{what}, its port", 0, 65535)
    size = words.integer(f"{what}, its bytes", 0, MOST_BYTES)
    start = words.number(f"{what}, its start in seconds", 0, LATEST)
    return source, target, priority, port, size, round(start * PICO)


def _row_of_four(words, what, _packets, _payload):
    source, target = (words.integer(f"{what}, its {end}", 0, 2**32 - 1) for end in ("source", "destination"))
    size = words.integer(f"{what}, its bytes", 0, MOST_BYTES)
    start = words.integer(f"{what}, its start in ns", 0, LATEST * 10**9)
    return source, target, 3, 100, size, start * 1000


def _note(source, words, flows, count, notes, packets):
    name = base_name(source.name)
    empty = [number + 1 for number, flow in enumerate(flows) if flow.bytes == 0]
    if empty:
        notes.assumed.append(f"{name}: a flow of 0 bytes sends 1 byte (flow {some(empty)})")
        for number in empty:
            flows[number - 1].bytes = 1
    notes.read.append(f"{name}: {plural(count, 'flow')}")
    if packets:
        notes.assumed.append(f"{name}: the fourth field counts packets and the sixth is an end, as in the simulator of "
                             "2015")
        notes.not_expressed.append(f"{name}: the ends of the flows; each sends all its packets")
    large = sum(flow.bytes > 2**32 - 1 for flow in flows)
    if large:
        notes.assumed.append(f"{name}: {plural(large, 'flow')} above 4294967295 bytes, which the original cannot read")
    rest = words.peek()
    if rest is not None:
        lines = source.text[rest.at:].rstrip().count("\n") + 1
        notes.ignored.append(f"{name}, from line {source.line_of(rest.at)}: {plural(lines, 'line')} behind the "
                             f"{plural(count, 'flow')} that the first line announces")


def read_trace(source, index, notes):
    """Reads a list of nodes to trace, and notes that the platform has no counterpart."""
    words = Words(source)
    count = words.integer("the number of nodes", 0, 10**7)
    idents = [words.integer(f"node {number + 1} of {count}", 0, 2**32 - 1) for number in range(count)]
    known = [ident for ident in idents if ident in index]
    name = base_name(source.name)
    notes.read.append(f"{name}: {plural(count, 'node')} to trace")
    if len(known) < count:
        notes.ignored.append(f"{name}: {plural(count - len(known), 'id')} that the topology does not have")
    notes.not_expressed.append(f"{name}: the binary trace; packets of {some('h' + str(i) for i in known)} are captured "
                               "with output.trace.packets")
