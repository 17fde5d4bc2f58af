"""dccvp import htsim: imports .topo and .cm files of both families of htsim."""

import collections
import dataclasses
import heapq
import re
import struct

from dccvp.importers import htsim_topology
from dccvp.importers.network import Flow, plural, some, time_text
from dccvp.importers.source import Source, Word, base_name, quoted, read
from dccvp.importers.waiting import Transfers

SETTINGS = {"rate": "of the hosts' links, for a .cm without a .topo (100Gbps)",
            "delay": "of these links (1us)"}
HEADER = ("Nodes", "Connections", "Triggers", "Failures")
MOST_SIZE = 2**31 - 1
LATEST = 10**18


@dataclasses.dataclass
class Connection:
    """A line SRC->DST of a connection matrix; `at` is its Word. `start` in ps, None if a trigger starts the flow."""

    at: Word
    source: int
    target: int
    ident: int = 0
    start: int | None = None
    trigger: int = 0
    size: int | None = None
    sent: int = 0
    received: int = 0


@dataclasses.dataclass
class Trigger:
    """A trigger of a connection matrix. `count`: number of activations that fire a barrier."""

    at: Word
    kind: str
    count: int = 1
    targets: list = dataclasses.field(default_factory=list)
    hits: int = 0


def read_files(paths, settings):
    topology = matrix = None
    for path in paths:
        source = read(path)
        if htsim_topology.is_topology(source):
            if topology:
                source.fail(0, f"a second .topo, beside {topology.name}")
            topology = source
        elif matrix:
            source.fail(0, f"a second .cm, beside {matrix.name}")
        else:
            matrix = source
    cores_of: dict = {}
    imported = None
    if topology:
        imported, cores_of = htsim_topology.read_topology(topology)
    if matrix:
        found = Matrix(matrix)
        if imported is None:
            if not 2 <= found.nodes <= 4096:
                matrix.fail(found.nodes_at, f"{found.nodes} nodes without a .topo; one switch has 2 to 4096 hosts")
            imported, said = htsim_topology.star_of(found.nodes, settings)
            imported.notes.assumed.append(f"no .topo: {said}")
        hosts = len(imported.hosts())
        if found.nodes > hosts:
            matrix.fail(found.nodes_at, f"{found.nodes} nodes, but {topology.name} has {plural(hosts, 'host')}")
        found.add_to(imported, cores_of)
    assert imported is not None
    imported.notes.assumed.append("the transport is the platform's own: the files name none")
    return imported


class Matrix:
    """A connection matrix of htsim."""

    def __init__(self, source: Source):
        self.source = source
        self.connections: list[Connection] = []
        self.triggers: dict[int, Trigger] = {}
        self.failures: list = []
        header: dict = {}
        for at, line in source.lines():
            words = source.words_of(at, line)
            if not words:
                continue
            first = words[0].text
            is_body = "->" in first or first in ("trigger", "failure")
            in_body = self.connections or self.triggers or self.failures
            if not in_body and (first.startswith("#") or first in HEADER or not is_body):
                if first in HEADER:
                    if len(words) < 2:
                        source.fail(words[0], f"{first} without a number")
                    header[first] = (source.integer(words[1], first, 0, 10**8), words[1])
                continue
            self._body(words)
        self._check(header)
        self.nodes, self.nodes_at = header["Nodes"]

    def _body(self, words):
        first = words[0].text
        if "->" in first:
            self.connections.append(self._connection(words))
        elif first == "trigger":
            self._trigger(words)
        elif first == "failure":
            self.failures.append(words)
        else:
            self.source.fail(words[0], f"expected SRC->DST, trigger or failure, not {quoted(first)}")

    def _connection(self, words):
        ends = re.fullmatch(r"([0-9]{1,9})->([0-9]{1,9})", words[0].text)
        if ends is None:
            self.source.fail(words[0], f"expected two hosts as 0->1, not {quoted(words[0].text)}")
        found = Connection(words[0], int(ends[1]), int(ends[2]))
        place = 1
        seen = set()
        while place < len(words):
            key = words[place]
            if key.text in seen:
                self.source.fail(key, f"{key.text} is there twice")
            seen.add(key.text)
            place += 1
            if key.text == "msg" and (place == len(words) or not words[place].text.isdigit()):
                place += place < len(words)
                continue
            if place == len(words):
                self.source.fail(key, f"{quoted(key.text)} without a value")
            self._value(found, key, words[place])
            place += 1
        if (found.start is None) == (found.trigger == 0):
            self.source.fail(found.at, "a connection has start or trigger" + (", not both" if found.trigger else ""))
        if found.size is None:
            self.source.fail(found.at, "a connection without size")
        if found.source == found.target:
            self.source.fail(found.at, f"host {found.source} would send to itself")
        return found

    def _value(self, found, key, word):
        name = key.text
        if name == "start":
            # htsim keeps a start in single precision, without the fraction
            value = float(self.source.number(word, "start in ps", 0, LATEST))
            found.start = int(struct.unpack("f", struct.pack("f", value))[0])
        elif name == "size":
            found.size = self.source.integer(word, "size in bytes", 0, MOST_SIZE)
        elif name in ("id", "trigger", "send_done_trigger", "recv_done_trigger"):
            if name == "id" and found.trigger:
                self.source.fail(key, "id stands before trigger in a line")
            number = self.source.integer(word, name, 1, MOST_SIZE)
            setattr(found, {"id": "ident", "trigger": "trigger", "send_done_trigger": "sent",
                            "recv_done_trigger": "received"}[name], number)
        elif name in ("prio", "msg"):
            self.source.integer(word, name, 0, MOST_SIZE)
        else:
            self.source.fail(key, f"unknown key {quoted(name)} (known: id, start, trigger, size, send_done_trigger, "
                             "recv_done_trigger, prio, msg)")

    def _trigger(self, words):
        texts = [word.text for word in words]
        if len(words) < 4 or texts[1] != "id":
            self.source.fail(words[0], "expected: trigger id I oneshot|multishot|barrier count N")
        ident = self.source.integer(words[2], "the id of a trigger", 1, MOST_SIZE)
        if ident in self.triggers:
            self.source.fail(words[2], f"trigger {ident} is there twice")
        if texts[3] not in ("oneshot", "multishot", "barrier"):
            self.source.fail(words[3], f"expected oneshot, multishot or barrier, not {quoted(texts[3])}")
        found = Trigger(words[2], texts[3])
        if texts[3] == "barrier":
            if len(words) < 6 or texts[4] != "count":
                self.source.fail(words[3], "a barrier has count N")
            found.count = self.source.integer(words[5], "the count of a barrier", 1, MOST_SIZE)
        self.triggers[ident] = found

    def _check(self, header):
        source = self.source
        if "Nodes" not in header or "Connections" not in header:
            source.fail(0, "no connection matrix: it begins with Nodes and Connections")
        for key, found in (("Connections", len(self.connections)), ("Triggers", len(self.triggers)),
                           ("Failures", len(self.failures))):
            said, word = header.get(key, (0, header["Nodes"][1]))
            if said != found:
                source.fail(word, f"{said} {key.lower()} announced, {found} found")
        idents = set()
        for one in self.connections:
            if max(one.source, one.target) >= header["Nodes"][0]:
                source.fail(one.at, f"host {max(one.source, one.target)} of {plural(header['Nodes'][0], 'node')}")
            if one.ident and one.ident in idents:
                source.fail(one.at, f"the id {one.ident} is there twice")
            idents.add(one.ident)
            for ident in (one.trigger, one.sent, one.received):
                if ident and ident not in self.triggers:
                    source.fail(one.at, f"trigger {ident} is never defined")
            if one.trigger:
                self.triggers[one.trigger].targets.append(one)
        for ident, trigger in self.triggers.items():
            if not trigger.targets:
                source.fail(trigger.at, f"trigger {ident} starts no connection")

    def add_to(self, imported, cores_of):
        notes, name = imported.notes, base_name(self.source.name)
        starts, never, causes = self._starts(Transfers(imported))
        flows, idents = [], {}
        for number, one in enumerate(self.connections):
            if number not in starts:
                continue
            after = causes.get(number, ())
            if one.size == 0:
                entry = {"kind": "flow", "from": one.source, "to": one.target}
                if after:
                    imported.awaited.update(name for name, _ in after)
                    entry["after"] = {"flows": [f"flows.{name}" + (":sent" if sent else "") for name, sent in after]}
                else:
                    entry["start"] = time_text(starts[number])
                imported.traffic.append(entry)
            else:
                flows.append(Flow(one.source, one.target, 0, 100, one.size or 0, one.start or 0, f"c{number}",
                                  after))
                idents[id(flows[-1])] = one
        imported.lasts = 2 * max(starts.values(), default=0)
        flows.sort(key=lambda flow: flow.start)
        imported.flows["flows.flow"] = flows
        if len(flows) == len(starts):  # If all flows have a start time, flows.csv numbers the flows in this order.
            rows = [(number, flow, idents[id(flow)]) for number, flow in enumerate(flows)]
            imported.files["connections.csv"] = "flow,id,connection,trigger\n" + "".join(
                f"{number},{one.ident or ''},{flow.source}->{flow.target},{one.trigger or ''}\n"
                for number, flow, one in rows)
        notes.read.append(f"{name}: {plural(len(self.connections), 'connection')}, "
                          f"{plural(len(self.triggers), 'trigger')}, {plural(len(self.failures), 'failure')}")
        waiting = sum(one.start is None for one in self.connections)
        if waiting:
            notes.read.append(f"{waiting} of {len(self.connections)} flows wait for others")
            self._note_order(notes)
            imported.tables.append((f"{name}: connections that wait", ("connection", "waits for"), self._waits()))
        if never:
            notes.ignored.append(f"{plural(len(never), 'connection')} whose trigger never fires: "
                                 + some(f"{one.source}->{one.target}" for one in never))
        if any(one.size == 0 for one in self.connections):
            notes.assumed.append("size 0: an unlimited flow")
        self._add_failures(imported, cores_of)
        text = self.source.text
        if re.search(r"\bprio\b", text):
            notes.ignored.append("prio, a receiver's priority in pulling")
        if re.search(r"\bmsg\b", text):
            notes.not_expressed.append("msg: a connection that goes on with further messages; each is a flow")

    def _waits(self):
        """Returns (connection, sentence) of each connection that a trigger starts."""
        causes = collections.defaultdict(list)
        for one in self.connections:
            for ident, event in ((one.sent, "sent"), (one.received, "received")):
                if ident:
                    causes[ident].append(f"{one.source}->{one.target} {event}")
        rows = []
        for one in self.connections:
            if one.trigger:
                trigger = self.triggers[one.trigger]
                kind = f"{trigger.kind} of {trigger.count}" if trigger.kind == "barrier" else trigger.kind
                rows.append((f"{one.source}->{one.target}", f"{kind} {one.trigger}: "
                             + some(causes[one.trigger])))
        return rows

    def _activators(self):
        """Returns {trigger: [(number of a connection, True if the end of its sending activates the trigger)]}."""
        found = collections.defaultdict(list)
        for number, one in enumerate(self.connections):
            for ident, sent in ((one.received, False), (one.sent, True)):
                if ident and one.size:
                    found[ident].append((number, sent))
        return found

    def _note_order(self, notes):
        """Adds notes for the user on results that depend on the order in which flows end; the import uses the order
        on an idle network."""
        activators = self._activators()
        ordered = [ident for ident, trigger in self.triggers.items()
                   if (trigger.kind == "multishot" and len(activators[ident]) > 1) or
                   (trigger.kind == "barrier" and len(activators[ident]) > trigger.count)]
        if ordered:
            notes.not_expressed.append(f"the order in which flows activate {plural(len(ordered), 'trigger')} "
                                       f"({some(ordered)}): that of an idle network decides what starts what")

    def _starts(self, transfers):
        """Returns start times on an idle network: ({index of a connection: start in ps}, connections that never
        start, {index: events that the connection waits for})."""
        hits: dict = collections.defaultdict(list)
        causes: dict = {}
        number_of = {id(one): number for number, one in enumerate(self.connections)}
        starts: dict[int, int] = {}
        queue: list = []
        order = 0

        def begin(number, now):
            nonlocal order
            one = self.connections[number]
            starts[number] = now
            if not one.size:
                return  # The connection never ends, so no other connection follows.
            for ident, took in ((one.received, transfers.received), (one.sent, transfers.acknowledged)):
                if ident:
                    order += 1
                    heapq.heappush(queue, (now + took(one.source, one.target, one.size), order, ident, one))

        for number, one in enumerate(self.connections):
            if one.start is not None:
                begin(number, one.start)
        while queue:
            now, _, ident, cause = heapq.heappop(queue)
            trigger = self.triggers[ident]
            trigger.hits += 1
            # Both ends of a connection (sender, receiver) may activate a trigger; the receiver's event comes first.
            number = number_of[id(cause)]
            sent = cause.received != ident or (f"c{number}", False) in hits[ident]
            hits[ident].append((f"c{number}", sent))
            if trigger.kind == "multishot":
                fired = trigger.targets[trigger.hits - 1:trigger.hits]
            elif trigger.kind == "oneshot" and trigger.hits > 1:
                self.source.fail(cause.at, f"trigger {ident} is oneshot and would be activated again")
            else:
                fired = trigger.targets if trigger.hits == trigger.count else []
            after = tuple(hits[ident] if trigger.kind == "barrier" else hits[ident][-1:])
            for one in fired:
                if number_of[id(one)] not in starts:
                    begin(number_of[id(one)], now)
                    causes[number_of[id(one)]] = after
        return starts, [one for number, one in enumerate(self.connections) if number not in starts], causes

    def _add_failures(self, imported, cores_of):
        source = self.source
        for words in self.failures:
            values = dict(zip([word.text for word in words[1::2]], words[2::2]))
            for key in ("switch_type", "switch_id", "link_id"):
                if key not in values:
                    source.fail(words[0], f"a failure has {key}")
            if values["switch_type"].text != "AGG":
                source.fail(values["switch_type"], f"expected AGG, the only kind that the original takes, not "
                            f"{quoted(values['switch_type'].text)}")
            aggs = max((place for _, place in cores_of), default=-1) + 1
            switch = source.integer(values["switch_id"], "the number of an AGG", 0, max(len(cores_of) - 1, 0))
            link = source.integer(values["link_id"], "the number of a link", 0, 65535)
            if not cores_of:
                source.fail(words[0], "a failure needs a .topo of three tiers")
            core = switch % aggs * aggs + link
            if core not in cores_of[divmod(switch, aggs)]:
                source.fail(values["link_id"], f"AGG {switch} has no link to core {core}, which link_id {link} means")
            imported.faults.append({"kind": "link_failure", "link": f"agg{switch}--core{core}", "start": "0us",
                                    "convergence": "0us"})
            imported.shape = {}  # A custom topology keeps the node names and the cabling of the source.
