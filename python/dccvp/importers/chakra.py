"""dccvp import chakra: imports execution traces, one file a rank: binary traces (.et) and JSON, either of the C++
feeder ({"workload_graph": [...]}) or of the jsonizer (one object after the other)."""

import collections
import dataclasses
import heapq
import json
import re

from dccvp.common.ending import InputError
from dccvp.importers import chakra_binary, goal
from dccvp.importers.network import plural, some
from dccvp.importers.source import base_name, json_of, name_of, quoted, read, read_bytes, text_of
from dccvp.importers.waiting import KINDS, Lines, Transfers

SETTINGS = {**goal.SETTINGS, "groups": "a JSON file of process groups, {\"1\": [0, 1]} (all ranks are one group)",
            "begin": "of a collective: together, when all its ranks are there, or each rank by itself (together)"}
TYPES = ("INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE", "COMM_SEND_NODE",
         "COMM_RECV_NODE", "COMM_COLL_NODE", "STORAGE_NODE", "BATCH_NODE", "CHECKPOINT_NODE")
COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7
MOST = 2**62
US = 10**6


@dataclasses.dataclass
class Node:
    """A node of one rank's trace. `duration` in ps. `done`: events (waiting.Lines) of the node's end."""

    at: int
    rank: int
    ident: int
    kind: int
    duration: int
    waits: list
    attributes: dict
    missing: int = 0
    ended: int | None = None
    done: list = dataclasses.field(default_factory=list)


class Rank:
    """The nodes of the trace file of one rank."""

    def __init__(self, source, rank):
        self.source, self.rank = source, rank
        self.nodes: dict[int, Node] = {}
        binary = isinstance(source, chakra_binary.BinarySource)
        for at, entry in chakra_binary.entries(source) if binary else self._entries():
            self._add(at, entry)
        if not self.nodes:
            source.fail(0, "no node in the trace")
        for node in self.nodes.values():
            for ident in node.waits:
                if ident not in self.nodes:
                    source.fail(node.at, f"node {node.ident} waits for {ident}, which is not in the file")

    def _entries(self):
        """Yields (offset, object) of each node in a JSON trace."""
        source = self.source
        at = len(source.text) - len(source.text.lstrip())
        if re.match(r"\{\s*\"workload_graph\"", source.text[at:]):
            graph = json_of(source).get("workload_graph")
            if not isinstance(graph, list):
                source.fail(at, "workload_graph is a list of nodes")
            place = at
            for entry in graph:
                if not isinstance(entry, dict):
                    source.fail(place, "a node is an object")
                found = re.compile(r'"Id"\s*:\s*"?' + re.escape(str(entry.get("Id"))) + r"\b").search(source.text, at)
                place = found.start() if found else place
                yield place, entry
            return
        decoder = json.JSONDecoder()
        while at < len(source.text):
            try:
                entry, end = decoder.raw_decode(source.text, at)
            except json.JSONDecodeError as error:
                source.fail(error.pos, f"not JSON: {error.msg}")
            except (RecursionError, ValueError):
                source.fail(at, "not JSON that can be read")
            if not isinstance(entry, dict):
                source.fail(at, "a node is an object")
            if "type" in entry or "name" in entry or "version" not in entry and "attr" in entry:
                yield at, entry  # The other objects are metadata of the trace, which state a version and have no type.
            at = end
            while at < len(source.text) and source.text[at] in " \t\r\n,":
                at += 1

    def _number(self, at, value, what, most=MOST):
        """Converts a JSON value to a whole number: written as a number, as text or as a float without a fraction."""
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,20}", value):
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            self.source.fail(at, f"{what} is a whole number up to {most}, not {quoted(json.dumps(value)[:60])}")
        return value

    def _add(self, at, entry):
        lower = {key.lower().replace("_", ""): value for key, value in entry.items()}
        ident = self._number(at, lower.get("id", 0), "an id")
        if ident in self.nodes:
            self.source.fail(at, f"node {ident} is there twice")
        kind = lower.get("nodetype", lower.get("type", 0))
        if isinstance(kind, str) and kind in TYPES:
            kind = TYPES.index(kind)
        kind = self._number(at, kind, f"the type of node {ident}", len(TYPES) - 1)
        waits = lower.get("datadeps", lower.get("parent", []))
        if not isinstance(waits, list):
            self.source.fail(at, f"data_deps of node {ident} is a list")
        waits = [self._number(at, one, f"a dependency of node {ident}") for one in waits]
        attributes = self._attributes(at, lower)
        duration = lower.get("runtime", lower.get("durationmicros", 0))
        if isinstance(duration, str) and re.fullmatch(r"[0-9]{1,15}", duration):
            duration = int(duration)
        if isinstance(duration, bool) or not isinstance(duration, (int, float)) or not 0 <= duration <= 10**12:
            self.source.fail(at, f"the duration of node {ident} is 0 to 10^12 us")
        self.nodes[ident] = Node(at, self.rank, ident, kind, round(duration * US), list(dict.fromkeys(waits)),
                                 attributes)

    def _attributes(self, at, lower):
        """Returns {name: value} of a node, from its members and from a list attr of {name, …Val}."""
        found = {}
        for name in ("comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag", "pg_name", "is_cpu_op", "num_ops"):
            if name.replace("_", "") in lower:
                found[name] = lower[name.replace("_", "")]
        attributes = lower.get("attr", [])
        if not isinstance(attributes, list):
            self.source.fail(at, "attr is a list")
        for attribute in attributes:
            if not isinstance(attribute, dict) or not isinstance(attribute.get("name"), str):
                self.source.fail(at, "an attribute has a name")
            # Protocol buffers may omit a field whose value is 0.
            values = [value for key, value in attribute.items() if key.lower().endswith("val")]
            found[attribute["name"]] = values[0] if values else "" if attribute["name"] == "pg_name" else 0
        return found

    def attribute(self, node, name, default=None):
        value = node.attributes.get(name, default)
        if value is None:
            self.source.fail(node.at, f"node {node.ident} has no {name}")
        return self._number(node.at, value, f"{name} of node {node.ident}")


def read_files(paths, settings):
    ranks: dict[int, Rank] = {}
    sources = [_opened(path) for path in paths]
    numbers, by_order = _ranks_of([base_name(source.name) for source in sources])
    for rank, source in zip(numbers, sources):
        if rank in ranks:
            source.fail(0, f"rank {rank} is there twice")
        ranks[rank] = Rank(source, rank)
    count = max(ranks) + 1
    first = ranks[min(ranks)]
    if count > goal.MOST_RANKS:
        first.source.fail(0, f"rank {count - 1}; up to {goal.MOST_RANKS} ranks are read")
    groups = _groups(settings, count)
    result = goal.network(count, settings)
    if settings.get("begin", "together") not in ("together", "each"):
        raise InputError(f"--set begin={settings['begin']}: expected together or each")
    execution = _Execution(ranks, result, groups, settings.get("begin") == "each", goal.ranks_per_host(settings))
    result.flows["flows.flow"] = execution.lines.lines
    result.lasts = 2 * execution.lasts
    _note(ranks, result, execution)
    if by_order:
        result.notes.assumed.append("the names state no ranks: the files are ranks 0, 1, 2, ... in the order given")
    return result


def _ranks_of(names):
    """Returns ([rank of each file], True if the order of the files decides). A name such as t.3.et or t.3.json.gz
    states the rank; so do the last numbers of several names if they are 0, 1, 2, ... in any order."""
    stated = [re.search(r"\.([0-9]{1,6})\.(?:json|et)(?:\.json)?(?:\.gz)?$", name) for name in names]
    if all(stated):
        return [int(match[1]) for match in stated if match], False
    last = [re.search(r"([0-9]{1,6})[^0-9]*$", re.sub(r"\.gz$", "", name)) for name in names]
    numbers = [int(match[1]) for match in last if match]
    if len(names) > 1 and sorted(numbers) == list(range(len(names))):
        return numbers, False
    return list(range(len(names))), len(names) > 1


def _opened(path):
    """Opens a trace as a Source: a file whose first character is no brace is binary."""
    data = read_bytes(path)
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{" or not data:
        return text_of(name_of(path), data)
    return chakra_binary.BinarySource(name_of(path), data)


def _groups(settings, count):
    """Reads the communicator groups: {name: ranks}."""
    if "groups" not in settings:
        return {}
    source = read(settings["groups"])
    data = json_of(source)
    if not isinstance(data, dict):
        source.fail(0, "groups are an object: {\"1\": [0, 1]}")
    for name, members in data.items():
        if not isinstance(members, list) or not all(isinstance(one, int) and 0 <= one < count for one in members):
            source.fail(0, f"group {quoted(name)} is a list of ranks 0 to {count - 1}")
        if len(set(members)) != len(members):
            source.fail(0, f"group {quoted(name)} has a rank twice")
    return data


class _Execution:
    """Executes the nodes on an idle network, to find which receive takes which message and which calls form a
    collective. The processors of a rank compute one node at a time; a collective begins when all its ranks have reached
    it. Each node that sends or computes becomes a line of traffic that waits for the nodes on which it depends."""

    def __init__(self, ranks, result, groups, each, per_host):
        self.ranks, self.result, self.groups, self.each = ranks, result, groups, each
        self.transfers = Transfers(result, per_host)
        self.lines = Lines(per_host)
        self.count = max(ranks) + 1
        self.lasts = 0
        self.waited = 0
        self._queue: list = []
        self._order = 0
        self._busy: dict = {}
        self._waiting = collections.defaultdict(list)
        self._calls: collections.Counter = collections.Counter()
        self._gathered = collections.defaultdict(list)
        self._arrived = collections.defaultdict(collections.deque)
        self._posted = collections.defaultdict(collections.deque)
        for rank in ranks.values():
            for node in rank.nodes.values():
                node.missing = len(node.waits)
                for ident in node.waits:
                    self._waiting[rank.rank, ident].append(node)
            for node in rank.nodes.values():
                if not node.missing:
                    self._push(0, "begin", node)
        while self._queue:
            now, _, what, node = heapq.heappop(self._queue)
            getattr(self, "_" + what)(now, node)

    def _push(self, now, what, node):
        self._order += 1
        heapq.heappush(self._queue, (now, self._order, what, node))

    def _begin(self, now, node):
        rank = self.ranks[node.rank]
        after = self.lines.join(node.rank, [event for ident in node.waits for event in rank.nodes[ident].done])
        node.done = after
        if node.kind == SEND:
            target = rank.attribute(node, "comm_dst")
            size = rank.attribute(node, "comm_size")
            if target >= self.count or target == node.rank:
                rank.source.fail(node.at, f"node {node.ident} sends from rank {node.rank} to {target}")
            self.waited += bool(node.waits)
            node.done = [(self.lines.flow(node.rank, target, size, after), True)]
            self._push(now + self.transfers.received(node.rank, target, size), "arrive", node)
            self._end(now, node)
        elif node.kind == RECEIVE:
            key = (rank.attribute(node, "comm_src"), node.rank, rank.attribute(node, "comm_tag", 0))
            if self._arrived[key]:
                self._receive(now, node, self._arrived[key].popleft())
            else:
                self._posted[key].append(node)
        elif node.kind == COLLECTIVE:
            self._meet(now, node)
        elif node.kind == COMPUTE and node.duration:
            processor = (node.rank, bool(node.attributes.get("is_cpu_op")))
            begin = max(now, self._busy.get(processor, 0))
            self._busy[processor] = begin + node.duration
            node.done = [self.lines.compute(node.rank, node.duration, int(processor[1]), after)]
            self._push(begin + node.duration, "end", node)
        else:
            if node.duration:
                node.done = [self.lines.compute(node.rank, 0, after=after, delay=node.duration) if after else
                             self.lines.compute(node.rank, node.duration, 2 + node.ident % 250)]
            self._push(now + node.duration, "end", node)

    def _receive(self, now, node, message):
        node.done = self.lines.join(node.rank, [*node.done, (message.done[0][0], False)])
        self._end(now, node)

    def _arrive(self, now, node):
        key = (node.rank, self.ranks[node.rank].attribute(node, "comm_dst"),
               self.ranks[node.rank].attribute(node, "comm_tag", 0))
        if self._posted[key]:
            self._receive(now, self._posted[key].popleft(), node)
        else:
            self._arrived[key].append(node)

    def _meet(self, now, node):
        rank = self.ranks[node.rank]
        name = str(node.attributes.get("pg_name", ""))
        members = self.groups.get(name, sorted(self.ranks))
        if node.rank not in members:
            rank.source.fail(node.at, f"node {node.ident}: rank {node.rank} is not in group {quoted(name)}")
        call = self._calls[node.rank, name]
        self._calls[node.rank, name] += 1
        there = self._gathered[name, call]
        there.append((now, node))
        if len(there) < len(members):
            return
        kind, size = rank.attribute(node, "comm_type"), rank.attribute(node, "comm_size")
        if kind >= len(KINDS):
            rank.source.fail(node.at, f"comm_type of node {node.ident} is 0 to {len(KINDS) - 1}, not {kind}")
        size = min(size, 2**40)
        node_of = {one.rank: one for _, one in there}
        begins = [node_of[member].done for member in members]
        if not self.each and len(members) > 1 and any(begins):
            begins = [[self.lines.compute(members[0], 0, after=[event for events in begins for event in events])]
                      ] * len(members)
        ends = self.lines.collective(KINDS[kind], members, size, begins)
        for member, done in zip(members, ends):
            node_of[member].done = done
        end = now + self.transfers.collective(KINDS[kind], members, size)
        for _, one in there:
            self.waited += bool(one.waits)
            self._push(end, "end", one)

    def _end(self, now, node):
        node.ended = now
        self.lasts = max(self.lasts, now)
        for other in self._waiting[node.rank, node.ident]:
            other.missing -= 1
            if other.missing == 0:
                self._push(now, "begin", other)


def _note(ranks, result, execution):
    notes = result.notes
    nodes = [node for rank in ranks.values() for node in rank.nodes.values()]
    counts = collections.Counter(node.kind for node in nodes)
    notes.read.append(f"{plural(len(ranks), 'file')}: {plural(len(nodes), 'node')}: " + ", ".join(
        f"{counts[kind]} {TYPES[kind].removesuffix('_NODE').lower()}" for kind in sorted(counts)))
    absent = [rank for rank in range(max(ranks)) if rank not in ranks]
    if absent:
        notes.assumed.append(f"no file of the ranks {some(absent)}: they do nothing")
    if execution.waited:
        notes.read.append(f"{execution.waited} of {counts[SEND] + counts[COLLECTIVE]} sends and calls of collectives "
                          "wait for others")
    if counts[SEND]:
        notes.assumed.append("a send has ended when its last ACK is back")
    stuck = [node for node in nodes if node.ended is None]
    if stuck:
        where = ranks[stuck[0].rank].source
        notes.ignored.append(f"{plural(len(stuck), 'node')} that never end, the first at {where.place(stuck[0].at)}: a "
                             "message or a rank of a collective is missing")
    if counts[2] or counts[3]:
        notes.assumed.append("loads and stores of memory last as long as they say, beside computation")
    if execution.lines.collectives:
        notes.assumed.append("a rank begins a collective when it is there itself (begin=each)" if execution.each else
                             "a collective begins when all its ranks are there (begin=together); with --set begin=each "
                             "each rank begins by itself, and a run may use several threads")
    execution.lines.note(notes)
