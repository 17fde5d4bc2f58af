"""dccvp import astra: imports inputs of astra-sim: the analytical backend's network (YAML), a topology.txt of the
ns-3 backend, workloads of layers as text, and system files (JSON), few of whose settings the platform has."""

import collections
import math
import re

from dccvp.common import yaml_nodes
from dccvp.importers import goal, hpcc_topology
from dccvp.importers.network import Imported, Link, Node, host_list, plural, size_text, time_text
from dccvp.importers.source import base_name, exact, json_of, quoted, read
from dccvp.importers.waiting import Transfers

SETTINGS = {**goal.NETWORK, "npus": "number of NPUs, for a workload without a network"}
MOST_NPUS = 4096
POLICIES = ("DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_TRANSFORMER",
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_DLRM", "HYBRID_DLRM_ENHANCED", "MICRO",
            "DISTRIBUTED_INFERENCE", "HYBRID_CUSTOMIZED")
COMMUNICATIONS = {"ALLREDUCE": "all_reduce", "ALLGATHER": "all_gather", "REDUCESCATTER": "reduce_scatter",
                  "ALLTOALL": "all_to_all", "BROADCAST": "broadcast"}
SHAPES = {"all_reduce": "ring_all_reduce", "all_gather": "ring_all_gather", "reduce_scatter": "ring_reduce_scatter",
          # The values are names of the platform's collectives.
          "all_to_all": "all_to_all", "broadcast": "tree_broadcast"}
FIELDS = 12
NS = 1000


def _kind(source):
    text = source.text.lstrip()
    if text.startswith("{"):
        return "system"
    if re.search(r"^\s*npus_count\s*:", text, re.M):
        return "network"
    if hpcc_topology.is_topology(source):
        return "topology"
    return "workload"


def read_files(paths, settings):
    found: dict = {}
    systems: list = []
    for path in paths:
        source = read(path)
        kind = _kind(source)
        if kind in found:
            source.fail(0, f"a second {kind}, beside {found[kind].name}")
        if kind == "system":
            systems.append(source)
        else:
            found[kind] = source
    workload = Workload(found["workload"]) if "workload" in found else None
    if "network" in found:
        imported = _network(found["network"])
    elif "topology" in found:
        imported, _ = hpcc_topology.read_topology(found["topology"])
    elif workload:
        imported = goal.network(_npus(workload, settings), settings)
    else:
        systems[0].fail(0, "a system file alone makes no platform: give a network, a topology.txt or a workload")
    if workload:
        workload.add_to(imported)
    for source in systems:
        _system(source, imported)
    return imported


def _npus(workload, settings):
    text = settings.get("npus") or workload.words.get("all_gpus")
    if text is None:
        workload.source.fail(0, "a workload without a network: --set npus=N")
    if not re.fullmatch(r"[0-9]{1,6}", text) or not 2 <= int(text) <= MOST_NPUS:
        workload.source.fail(0, f"{quoted(text)} NPUs; a network has 2 to {MOST_NPUS}")
    return int(text)


def _system(source, imported):
    data = json_of(source)
    if not isinstance(data, dict):
        source.fail(0, "a system file is an object")
    rings = [key for key, value in data.items() if key.endswith("implementation")
             and value not in ("ring", ["ring"] * len(value if isinstance(value, list) else [1]))]
    imported.notes.read.append(f"{base_name(source.name)}: {plural(len(data), 'key')}")
    imported.notes.ignored.append(f"{base_name(source.name)}: " + ", ".join(sorted(map(str, data))))
    if rings:
        imported.notes.not_expressed.append("algorithms of collectives other than rings: " + ", ".join(sorted(rings)))


def _network(source):
    """Reads topology, npus_count, bandwidth and latency, each a list with an entry for each dimension (dimension 0
    first), into NPUs and links."""
    root = yaml_nodes.load(source.name, "a network")
    table = yaml_nodes.fields(root, "a network", ("topology", "npus_count", "bandwidth", "latency"),
                              ("topology", "npus_count", "bandwidth", "latency"))
    columns = {name: [one for one in yaml_nodes.items(node, name)] for name, node in table.items()}
    if len({len(column) for column in columns.values()}) != 1:
        yaml_nodes.fail(root, "the lists have not the same length: " +
                        ", ".join(f"{name} {len(column)}" for name, column in columns.items()))
    counts = [yaml_nodes.integer(node, "npus_count", 1, MOST_NPUS) for node in columns["npus_count"]]
    total = math.prod(counts)
    if not 2 <= total <= MOST_NPUS:
        yaml_nodes.fail(table["npus_count"], f"{total} NPUs; 2 to {MOST_NPUS} are read")
    imported = Imported()
    imported.nodes.extend(Node(f"npu{number}", True, f"NPU {number}", passes=True) for number in range(total))
    stride = 1
    for place, (kind, count) in enumerate(zip(columns["topology"], counts)):
        rate = round(_number(columns["bandwidth"][place], "a bandwidth in GB/s") * 8 * 2**30)
        delay = round(_number(columns["latency"][place], "a latency in ns") * NS)
        if not 10**6 <= rate <= 10**13 or delay > 10**12:
            yaml_nodes.fail(columns["bandwidth"][place], "the platform's links have 1 Mb/s to 10 Tb/s, and 1 s at most")
        name = yaml_nodes.word(kind, "a topology")
        if name not in ("Ring", "FullyConnected", "Switch"):
            yaml_nodes.fail(kind, f"'{name}' is none of Ring, FullyConnected, Switch")
        _dimension(imported, name, place, count, stride, total, rate, delay)
        stride *= count
    imported.notes.read.append(f"{base_name(source.name)}: {total} NPUs in {plural(len(counts), 'dimension')}, "
                               f"{plural(len(imported.links), 'link')}")
    imported.notes.assumed.append("GB/s are 2^30 bytes a second, as in the analytical backend; NPUs pass packets on")
    return imported


def _number(node, what):
    value = exact(yaml_nodes.word(node, what))
    if value is None or value < 0 or value > 10**12:
        yaml_nodes.fail(node, f"{what} is a number, not {quoted(node.value)}")
    return value


def _dimension(imported, kind, place, count, stride, total, rate, delay):
    """Adds the links of one dimension: groups of NPUs whose numbers differ by multiples of `stride`."""
    for first in range(total):
        if first // stride % count or count == 1:
            continue
        group = [first + stride * number for number in range(count)]
        if kind == "Switch":
            imported.nodes.append(Node(f"d{place}_s{first}", False, f"switch of dimension {place}"))
            imported.links.extend(Link(npu, len(imported.nodes) - 1, rate, delay, overhead=0) for npu in group)
        elif kind == "Ring":
            pairs = zip(group, group[1:] + group[:1]) if count > 2 else [(group[0], group[1])]
            imported.links.extend(Link(a, b, rate, delay, overhead=0) for a, b in pairs)
        else:
            imported.links.extend(Link(a, b, rate, delay, overhead=0) for a in group for b in group if a < b)


class Workload:
    """The layers of an astra-sim workload. `words`: {key: value} of the first line; each layer is (name, {phase: (ns,
    communication, bytes)}, update in ns)."""

    def __init__(self, source):
        self.source = source
        lines = [source.words_of(at, line) for at, line in source.lines() if line.strip()]
        first = lines[0]
        self.policy = first[0].text
        if self.policy not in POLICIES:
            source.fail(first[0], f"expected a policy such as DATA or HYBRID_TRANSFORMER, not {quoted(self.policy)}")
        texts = [word.text for word in first[1:]]
        self.words = {key.rstrip(":"): value for key, value in zip(texts[::2], texts[1::2])}
        # An odd last number after the policy is the place of DLRM's last layer before the exchange of embeddings.
        self.alone = texts[-1] if len(texts) % 2 else ""
        if len(lines) < 2:
            source.fail(len(source.text.rstrip()), "the file ends where the number of layers should be")
        count = source.integer(lines[1][0], "the number of layers", 0, 10**6)
        rows = lines[2:2 + count]
        if len(rows) < count:
            source.fail(len(source.text.rstrip()), f"the file ends after {len(rows)} of {count} layers")
        self.own_policies: set[str] = set()
        self.layers = [self._layer(row) for row in rows]
        self.rest = len(lines) - 2 - count

    def _layer(self, row):
        if len(row) not in (FIELDS, FIELDS + 1):
            self.source.fail(row[0], f"a layer has {FIELDS} fields, not {len(row)}")
        self.own_policies.update(word.text for word in row[FIELDS:])
        phases = {}
        for phase, place in (("forward", 2), ("input", 5), ("weight", 8)):
            name = row[place + 1].text.upper()
            match = re.fullmatch(r"([A-Z]+?)(_DP_EP|_EP)?", name)
            if name != "NONE" and (match is None or match[1] not in COMMUNICATIONS):
                self.source.fail(row[place + 1], f"expected NONE, {', '.join(COMMUNICATIONS)}, not {quoted(name)}")
            phases[phase] = (self.source.integer(row[place], "a time in ns", 0, 10**15), name,
                             self.source.integer(row[place + 2], "bytes", 0, 2**40))
        return row[0].text, phases, self.source.integer(row[11], "a time in ns", 0, 10**15)

    def _groups(self, hosts, phase, name):
        """Returns the groups of ranks that communicate: consecutive ranks share a model, strided ranks share data."""
        size = self.words.get("ep" if name.endswith("_EP") else "model_parallel_NPU_group", "")
        if not size.isdigit() or not int(size) or len(hosts) % int(size):
            size = str(len(hosts)) if self.policy == "MODEL" else "1"
        model = int(size)
        if self.policy == "DATA":
            model = 1
        if phase == "weight" and not name.endswith("_EP"):
            return [hosts[first::model] for first in range(model)]
        if model == 1 and self.policy.startswith("HYBRID"):
            model = len(hosts)
        return [hosts[first:first + model] for first in range(0, len(hosts), model)]

    def add_to(self, imported):
        """Adds entries of traffic: the computations of all ranks, and the collectives of their groups. A rank waits for
        its previous computation and for its previous collectives."""
        hosts, numbers = imported.hosts(), imported.host_numbers()
        transfers, everyone = Transfers(imported), host_list([numbers[host] for host in hosts])
        computes, lasts = 0, 0  # computes and lasts are times in ps
        before: list[str] = []
        counts: collections.Counter = collections.Counter()

        def compute():
            after = {"after": {"flows": before, "scope": "host"}} if before else {}
            name = f"compute{counts['compute']}"
            imported.traffic.append({"kind": "compute", "id": name, "hosts": everyone, "time": time_text(computes),
                                     **after})
            counts["compute"] += 1
            return name

        order = [(layer, "forward") for layer in self.layers]
        order += [(layer, phase) for layer in reversed(self.layers) for phase in ("input", "weight")]
        for (_, phases, update), phase in order:
            time, name, size = phases[phase]
            computes += time * NS
            if name == "NONE" or not size:
                continue
            kind = COMMUNICATIONS[name.removesuffix("_DP_EP").removesuffix("_EP")]
            groups = [group for group in self._groups(hosts, phase, name) if len(group) > 1]
            ready = compute()
            before = [ready]
            for group in groups:
                count = max(size * len(group) if kind == "all_gather" else size, len(group))
                before.append(f"{kind}{counts[kind]}")
                imported.traffic.append({"kind": "collective", "id": before[-1], "shape": SHAPES[kind],
                                         "hosts": host_list([numbers[rank] for rank in group]),
                                         "bytes": size_text(count), "rounds": 1,
                                         "after": {"flows": [ready], "scope": "host"}})
                counts[kind] += 1
            lasts += computes + max((transfers.collective(kind, group, size) for group in groups), default=0)
            computes = update * NS if phase == "weight" else 0
        if computes:
            compute()
        imported.lasts = max(imported.lasts, lasts + computes)
        self._note(imported.notes, counts)

    def _note(self, notes, counts):
        name = base_name(self.source.name)
        notes.read.append(f"{name}: policy {self.policy}, {plural(len(self.layers), 'layer')}")
        notes.read.extend(f"{counts[kind]} x {kind}: traffic of kind collective, {shape}"
                          for kind, shape in SHAPES.items() if counts[kind])
        notes.assumed.append(f"{name}: one iteration, layers one after the other, forward and back; a rank does not "
                             "compute while its collectives are under way")
        if self.alone:
            notes.ignored.append(f"{name}: {quoted(self.alone)} behind the policy")
        if self.own_policies:
            notes.not_expressed.append(f"{name}: policies of single layers ({', '.join(sorted(self.own_policies))}); "
                                       f"{self.policy} holds for all")
        if self.rest > 0:
            notes.ignored.append(f"{name}: {plural(self.rest, 'line')} behind the layers")
