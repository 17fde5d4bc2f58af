"""dccvp import goal: imports GOAL text of LogGOPSim and ATLAHS. Ranks become hosts, and sends become flows."""

import collections
import dataclasses
import heapq
import re

from dccvp.common.ending import InputError
from dccvp.importers.htsim_topology import star_of
from dccvp.importers.network import plural
from dccvp.importers.source import Source, base_name, quoted, read
from dccvp.importers.waiting import PROCESSORS, Lines, Transfers

NETWORK = {"rate": "of the hosts' links (100Gbps)", "delay": "of these links (1us)"}
SETTINGS = {**NETWORK, "ranks_per_host": "number of consecutive ranks on a host, 1 to 64 (1)"}
MOST_PER_HOST = 64
MOST_RANKS, MOST_SIZE, MOST_NS = 4096, 2**40, 10**15
OPTIONS = r"(?:\s+cpu\s+(?P<cpu>[0-9]{1,3}))?(?:\s+nic\s+(?P<nic>[0-9]{1,3}))?"
ITEM = re.compile(
    r"(?:(?P<label>[A-Za-z]\w*)\s*:\s*)?(?:"
    r"(?P<send>send)\s+(?P<sent>[0-9]{1,15})\s*b\s+to\s+(?P<to>[0-9]{1,10})(?:\s+tag\s+(?P<tag>[0-9]{1,10}))?" +
    OPTIONS + r"|(?P<recv>recv)\s+(?P<got>[0-9]{1,15})\s*b\s+from\s+(?P<source>-1|[0-9]{1,10})"
    r"(?:\s+tag\s+(?P<match>-1|[0-9]{1,10}))?" + OPTIONS.replace("<cpu>", "<cpu2>").replace("<nic>", "<nic2>") +
    r"|(?P<calc>calc)\s+(?P<ns>[0-9]{1,16})(?:\s+cpu\s+(?P<cpu3>[0-9]{1,3}))?)")
NEEDS = re.compile(r"(?P<label>[A-Za-z]\w*)\s+(?P<kind>i?requires)\s+(?P<other>[A-Za-z]\w*)")


@dataclasses.dataclass
class Operation:
    """A GOAL operation. `size`: bytes, or ns of a calc. `peer`, `tag`: -1 matches any value. `waits`: (operation,
    True if its begin counts). `message`: the send that a recv takes. `after`, `done`: events (waiting.Lines) of its
    begin and its end."""

    at: int
    rank: int
    kind: str
    size: int
    peer: int = 0
    tag: int = 0
    cpu: int = 0
    waits: list = dataclasses.field(default_factory=list)
    begun: int | None = None
    ended: int | None = None
    message: "Operation | None" = None
    name: str = ""
    after: list = dataclasses.field(default_factory=list)
    done: list = dataclasses.field(default_factory=list)


class Program:
    """The GOAL operations of all ranks, in the order of the file."""

    def __init__(self, source: Source):
        self.source = source
        self.ranks = 0
        self.operations: list[Operation] = []
        self.other_cpus = self.other_nics = 0
        self.rest = 0
        self._labels: dict[str, Operation] = {}
        self._rank: int | None = None
        self._seen: set[int] = set()
        self._read()

    def _read(self):
        source, comment, done = self.source, False, False
        for at, line in source.lines():
            text = line.strip()
            place = at + len(line) - len(line.lstrip())
            if comment:
                if "*/" not in text:
                    continue
                text, comment = text.partition("*/")[2].strip(), False
            while text.startswith("/*") and "*/" in text:
                text = text.partition("*/")[2].strip()
            if text.startswith("/*"):
                comment = True
                continue
            if not text or text.startswith("//"):
                continue
            if done:
                self.rest += 1
                continue
            done = self._line(place, text)
        end = len(source.text.rstrip())
        if comment:
            source.fail(end, "a comment that does not end")
        if not self.ranks:
            source.fail(end, "no num_ranks in the file")
        if not done:
            source.fail(end, f"the file ends before the end of rank {self.ranks - 1}, the last of {self.ranks}")

    def _line(self, at, text):
        """Reads one line of the file; returns True at the end of the last rank."""
        source = self.source
        if not self.ranks:
            match = re.fullmatch(r"num_ranks\s+([0-9]{1,9})", text)
            if match is None or not 1 <= int(match[1]) <= MOST_RANKS:
                source.fail(at, f"expected num_ranks 1 to {MOST_RANKS}, not {quoted(text)}")
            self.ranks = int(match[1])
            return False
        if self._rank is None:
            match = re.fullmatch(r"rank\s+([0-9]{1,9})\s*\{", text)
            if match is None:
                source.fail(at, f"expected rank R {{, not {quoted(text)}")
            self._rank = int(match[1])
            if self._rank >= self.ranks:
                source.fail(at, f"rank {self._rank} of {plural(self.ranks, 'rank')}")
            if self._rank in self._seen:
                source.fail(at, f"rank {self._rank} is there twice")
            self._seen.add(self._rank)
            self._labels = {}
            return False
        if text == "}":
            last = self._rank == self.ranks - 1
            self._rank = None
            return last
        needs = NEEDS.fullmatch(text)
        if needs:
            for name in (needs["label"], needs["other"]):
                if name not in self._labels:
                    source.fail(at, f"rank {self._rank} has no label {quoted(name)} above this line")
            self._labels[needs["label"]].waits.append((self._labels[needs["other"]], needs["kind"] == "irequires"))
            return False
        self._item(at, text)
        return False

    def _item(self, at, text):
        match = ITEM.fullmatch(text)
        if match is None:
            self.source.fail(at, "expected send SIZEb to RANK, recv SIZEb from RANK, calc NS or LABEL requires LABEL, "
                             f"not {quoted(text)}")
        kind = "send" if match["send"] else "recv" if match["recv"] else "calc"
        size = int(match["sent"] or match["got"] or match["ns"])
        if size > (MOST_NS if kind == "calc" else MOST_SIZE):
            self.source.fail(at, f"{kind} of {size}; up to {MOST_NS if kind == 'calc' else MOST_SIZE}")
        cpu = int(match["cpu"] or match["cpu2"] or match["cpu3"] or 0)
        nic = int(match["nic"] or match["nic2"] or 0)
        if max(cpu, nic) > 255:
            self.source.fail(at, "cpu and nic are 0 to 255")
        found = Operation(at, self._rank or 0, kind, size, cpu=cpu)
        if kind == "send":
            found.peer, found.tag = int(match["to"]), int(match["tag"] or 0)
        elif kind == "recv":
            found.peer, found.tag = int(match["source"]), int(match["match"] or 0)
        if found.peer >= self.ranks:
            self.source.fail(at, f"rank {found.peer} of {plural(self.ranks, 'rank')}")
        if kind == "send" and found.peer == self._rank:
            self.source.fail(at, f"rank {self._rank} would send to itself")
        self.other_cpus += cpu > 0
        self.other_nics += nic > 0
        label = match["label"]
        if label:
            if label in self._labels:
                self.source.fail(at, f"label {quoted(label)} is there twice")
            self._labels[label] = found
        self.operations.append(found)


class Execution:
    """Executes the operations on an idle network, to find which recv matches which send. A processor does one calc at a
    time, in the order in which the calcs become ready; a send ends when its bytes have left; a recv ends when its
    message has arrived. `lasts`: time at which all operations have ended."""

    def __init__(self, operations, transfers):
        self.transfers = transfers
        self.begun: list[Operation] = []
        self.lasts = 0
        self._queue: list = []
        self._order = 0
        self._busy: dict = {}
        self._missing: dict[int, int] = {}
        self._begins = collections.defaultdict(list)
        self._ends = collections.defaultdict(list)
        self._arrived = collections.defaultdict(list)
        self._posted = collections.defaultdict(list)
        for operation in operations:
            self._missing[id(operation)] = len(operation.waits)
            for other, at_begin in operation.waits:
                (self._begins if at_begin else self._ends)[id(other)].append(operation)
        for operation in operations:
            if not operation.waits:
                self._push(0, "ready", operation)
        while self._queue:
            now, _, what, operation = heapq.heappop(self._queue)
            getattr(self, "_" + what)(now, operation)

    def _push(self, now, what, operation):
        self._order += 1
        heapq.heappush(self._queue, (now, self._order, what, operation))

    def _release(self, waiting, now):
        for operation in waiting:
            self._missing[id(operation)] -= 1
            if self._missing[id(operation)] == 0:
                self._push(now, "ready", operation)

    def _ready(self, now, operation):
        if operation.kind == "calc":
            key = (operation.rank, operation.cpu)
            begin = max(now, self._busy.get(key, 0))
            self._busy[key] = begin + operation.size * 1000
            self._push(begin, "begin", operation)
        else:
            self._begin(now, operation)

    def _begin(self, now, operation):
        operation.begun = now
        self.begun.append(operation)
        self._release(self._begins[id(operation)], now)
        if operation.kind == "calc":
            self._push(now + operation.size * 1000, "end", operation)
        elif operation.kind == "send":
            took = self.transfers.received(operation.rank, operation.peer, operation.size)
            left = took - self.transfers.received(operation.rank, operation.peer, 0)
            self._push(now + left, "end", operation)
            self._push(now + took, "arrive", operation)
        else:
            for place, message in enumerate(self._arrived[operation.rank]):
                if self._fits(operation, message):
                    del self._arrived[operation.rank][place]
                    operation.message = message
                    self._end(now, operation)
                    return
            self._posted[operation.rank].append(operation)

    @staticmethod
    def _fits(receive, message):
        return receive.peer in (-1, message.rank) and receive.tag in (-1, message.tag)

    def _arrive(self, now, message):
        for place, receive in enumerate(self._posted[message.peer]):
            if self._fits(receive, message):
                del self._posted[message.peer][place]
                receive.message = message
                self._end(now, receive)
                return
        self._arrived[message.peer].append(message)

    def _end(self, now, operation):
        operation.ended = now
        self.lasts = max(self.lasts, now)
        self._release(self._ends[id(operation)], now)


def ranks_per_host(settings):
    """Returns the setting ranks_per_host; InputError for an invalid value."""
    text = settings.get("ranks_per_host", "1")
    if not re.fullmatch(r"[0-9]{1,3}", text) or not 1 <= int(text) <= MOST_PER_HOST:
        raise InputError(f"--set ranks_per_host={text}: 1 to {MOST_PER_HOST}")
    return int(text)


def network(ranks, settings):
    """Returns a star network for this number of ranks, with the settings rate, delay and ranks_per_host."""
    per_host = ranks_per_host(settings)
    count = -(-ranks // per_host)
    result, said = star_of(max(count, 2), settings)
    result.notes.assumed.append(f"a network: {said}; rank R is "
                                + (f"on host R / {per_host}" if per_host > 1 else "host R"))
    if per_host > 1:
        for host in range(count):
            first, last = host * per_host, min((host + 1) * per_host, ranks) - 1
            result.nodes[host].origin = f"ranks {first} to {last}" if first < last else f"rank {first}"
    return result


def read_files(paths, settings):
    if len(paths) > 1:
        read(paths[1]).fail(0, "goal takes one file")
    source = read(paths[0])
    program = Program(source)
    result = network(program.ranks, settings)
    per_host = ranks_per_host(settings)
    for one in program.operations:
        if one.cpu >= PROCESSORS // per_host:
            source.fail(one.at, f"cpu {one.cpu}; with {per_host} ranks on a host 0 to {PROCESSORS // per_host - 1}")
    execution = Execution(program.operations, Transfers(result, per_host))
    result.flows["flows.flow"] = _lines(execution, per_host, result.notes)
    result.lasts = 2 * execution.lasts
    _note(program, result, execution, base_name(source.name))
    return result


def _lines(execution, per_host, notes):
    """Returns a line of traffic for each send and calc, which waits for the operations that it depends on.
    Dependencies have always ended (or begun) earlier, so their events are known."""
    lines = Lines(per_host)
    for one in execution.begun:
        for other, at_begin in one.waits:
            one.after.extend(other.after if at_begin else _done(other, lines))
        one.after = lines.join(one.rank, one.after)
        if one.kind == "send":
            one.name = lines.flow(one.rank, one.peer, one.size, one.after)
            one.done = [(one.name, True)]
        elif one.kind == "calc":
            one.done = [lines.compute(one.rank, one.size * 1000, one.cpu, one.after)]
    if lines.local:
        notes.assumed.append(f"{plural(lines.local, 'send')} between ranks of one host: no flow, and no time")
    return lines.lines


def _done(operation, lines):
    """Returns the events at which the operation has ended."""
    if operation.kind == "recv" and not operation.done:
        operation.done = lines.join(operation.rank, [*operation.after, (operation.message.name, False)])
    return operation.done


def _note(program, result, execution, name):
    notes, operations = result.notes, program.operations
    counts = collections.Counter(operation.kind for operation in operations)
    notes.read.append(f"{name}: {plural(program.ranks, 'rank')}, {counts['send']} sends, {counts['recv']} receives, "
                      f"{counts['calc']} calcs")
    waiting = sum(operation.kind == "send" and bool(operation.waits) for operation in operations)
    if waiting:
        notes.read.append(f"{waiting} of {counts['send']} flows wait for others")
    if any(other.kind == "send" and not at_begin for operation in operations for other, at_begin in operation.waits):
        notes.assumed.append("a send has ended when its last ACK is back")
    if any(operation.peer == -1 or operation.tag == -1 for operation in operations if operation.kind == "recv"):
        notes.assumed.append("a recv from any rank, or with any tag, takes the message that an idle network brings it "
                             "first")
    stuck = [operation for operation in operations if operation.ended is None]
    if stuck:
        first = stuck[0]
        notes.ignored.append(f"{plural(len(stuck), 'operation')} that never end, the first in line "
                             f"{program.source.line_of(first.at)}: no message for a recv, or they wait for such")
    empty = sum(one.size == 0 for one in execution.begun if one.kind == "send")
    if empty:
        notes.assumed.append(f"{plural(empty, 'message')} of 0 bytes: 1 byte")
    if program.other_nics:
        notes.not_expressed.append(f"the choice of a NIC in {plural(program.other_nics, 'operation')}")
    if program.other_cpus:
        notes.assumed.append(f"processors of a rank work at the same time ({program.other_cpus} operations beside "
                             "cpu 0)")
    if program.rest:
        notes.ignored.append(f"{plural(program.rest, 'line')} behind the last rank")
