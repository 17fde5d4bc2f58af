"""Reads .topo files of htsim: fat trees of two or three tiers."""

from dccvp.common import quantity
from dccvp.common.ending import InputError
from dccvp.importers.network import Imported, Link, Node, plural, rate_text, time_text
from dccvp.importers.source import base_name, quoted

GIGA = 10**9
MOST_HOSTS = 65536
HEADER = {"nodes": (1, MOST_HOSTS), "tiers": (2, 3), "podsize": (1, MOST_HOSTS)}
TIER = {"downlink_speed_gbps": (1, 10000), "downlink_latency_ns": (1, 10**9), "radix_down": (1, 65535),
        "radix_up": (1, 65535), "queue_up": (0, 2**40), "queue_down": (0, 2**40), "oversubscribed": (1, 65536),
        "bundle": (1, 1024), "switch_latency_ns": (0, 10**9)}


def is_topology(source):
    return any(line.split()[:1] and line.split()[0].lower() in ("tiers", "podsize") for _, line in source.lines())


def _keys(source):
    """Reads the keys of a .topo file; returns ({key: (value, word)}, [{key: (value, word)} of each tier])."""
    header: dict = {}
    tiers: dict[int, dict] = {}
    current = header
    for at, line in source.lines():
        words = source.words_of(at, line)
        if not words or words[0].text.startswith("#"):
            continue
        key = words[0].text.lower()
        if len(words) < 2:
            source.fail(words[0], f"{quoted(words[0].text)} without a value")
        if key == "tier":
            number = source.integer(words[1], "the number of a tier", 0, 2)
            if number in tiers:
                source.fail(words[1], f"tier {number} is there twice")
            current = tiers[number] = {}
            continue
        known = HEADER if current is header else TIER
        if key not in known:
            source.fail(words[0], f"unknown key {quoted(words[0].text)} (known here: {', '.join(sorted(known))})")
        if key in current:
            source.fail(words[0], f"{quoted(words[0].text)} is there twice")
        current[key] = (source.integer(words[1], words[0].text, *known[key]), words[0])
    return header, tiers


def read_topology(source):
    """Reads a fat tree; returns an Imported with nodes, links and, if the platform has this topology, `shape`; and
    {(pod, place): [cores]} of the aggregation switches, empty with two tiers."""
    header, tiers = _keys(source)
    for key in HEADER:
        if key not in header:
            source.fail(0, f"no {key.capitalize()} in the header")
    levels = header["tiers"][0]
    for number in range(levels):
        if number not in tiers:
            source.fail(header["tiers"][1], f"no section Tier {number}; Tiers says {levels}")
        for key in ("downlink_speed_gbps", "downlink_latency_ns", "radix_down"):
            if key not in tiers[number]:
                source.fail(header["tiers"][1], f"Tier {number} has no {key.capitalize()}")
        if number < levels - 1 and "radix_up" not in tiers[number]:
            source.fail(header["tiers"][1], f"Tier {number} has no Radix_Up")
    for number in tiers:
        if number >= levels:
            source.fail(header["tiers"][1], f"a section Tier {number}, but Tiers says {levels}")
    tree = _Tree(source, header, [tiers[number] for number in range(levels)])
    return tree.imported(), tree.cores_of


class _Tree:
    """The checked dimensions of a fat tree, and its nodes and links."""

    def __init__(self, source, header, tiers):
        self.source, self.header, self.tiers = source, header, tiers
        self.hosts, self.pod_size = header["nodes"][0], header["podsize"][0]
        down = self.value(0, "radix_down")
        self.need(self.hosts % down == 0, tiers[0]["radix_down"], f"{self.hosts} hosts fill no whole number of ToR "
                  f"switches with {down} hosts")
        if len(tiers) == 2:
            self.pod_size = self.hosts
        self.need(self.hosts % self.pod_size == 0 and self.pod_size % down == 0, header["podsize"],
                  f"pods of {self.pod_size} hosts do not divide {self.hosts} hosts into ToR switches of {down}")
        self.tors, self.pods = self.hosts // down, self.hosts // self.pod_size
        self.tors_a_pod = self.tors // self.pods
        bundle = self.value(1, "bundle", 1)
        up = self.value(0, "radix_up")
        self.need(up % bundle == 0, tiers[0]["radix_up"], f"{up} links up in bundles of {bundle}")
        self.aggs_a_pod = up // bundle
        self.need(self.value(1, "radix_down") == self.tors_a_pod * bundle, tiers[1]["radix_down"],
                  f"{plural(self.tors_a_pod, 'ToR switch', 'ToR switches')} below in bundles of {bundle} need a "
                  f"Radix_Down of {self.tors_a_pod * bundle}")
        self.cores = 0
        self.cores_of: dict = {}
        if len(tiers) == 3:
            self._size_cores()
        self._check_oversubscription()

    def value(self, tier, key, default=0):
        return self.tiers[tier][key][0] if key in self.tiers[tier] else default

    def need(self, condition, entry, message):
        if not condition:
            self.source.fail(entry[1], message)

    def _size_cores(self):
        bundle, up, down = self.value(2, "bundle", 1), self.value(1, "radix_up"), self.value(2, "radix_down")
        self.need(up % bundle == 0, self.tiers[1]["radix_up"], f"{up} links up in bundles of {bundle}")
        self.need(down == self.pods * bundle, self.tiers[2]["radix_down"],
                  f"{plural(self.pods, 'pod')} below in bundles of {bundle} need a Radix_Down of {self.pods * bundle}")
        self.cores = self.aggs_a_pod * (up // bundle)
        for pod in range(self.pods):
            for place in range(self.aggs_a_pod):
                self.cores_of[pod, place] = list(range(place, self.cores, self.aggs_a_pod))

    def _check_oversubscription(self):
        for tier in range(len(self.tiers) - 1):
            if "oversubscribed" not in self.tiers[tier]:
                continue
            down = self.value(tier, "radix_down") * self.value(tier, "downlink_speed_gbps")
            up = self.value(tier, "radix_up") * self.value(tier + 1, "downlink_speed_gbps")
            said = self.value(tier, "oversubscribed")
            self.need(down == said * up, self.tiers[tier]["oversubscribed"],
                      f"Tier {tier} has {down} Gb/s down and {up} Gb/s up, which is not {said} : 1")

    def link(self, tier, a, b):
        """Adds a link from a tier downwards; the link's delay includes half the latency of the switches at its
        ends."""
        half = self.value(tier, "switch_latency_ns") + (self.value(tier - 1, "switch_latency_ns") if tier else 0)
        delay = self.value(tier, "downlink_latency_ns") * 1000 + half * 500
        return Link(a, b, self.value(tier, "downlink_speed_gbps") * GIGA, delay, overhead=0)

    def imported(self):
        result = Imported()
        nodes = result.nodes
        nodes.extend(Node(f"h{host}", True, str(host)) for host in range(self.hosts))
        tor, agg = self.hosts, self.hosts + self.tors
        core = agg + self.pods * self.aggs_a_pod
        names = ("leaf", "spine") if len(self.tiers) == 2 else ("rack", "agg")
        nodes.extend(Node(f"{names[0]}{number}", False, f"ToR {number}") for number in range(self.tors))
        nodes.extend(Node(f"{names[1]}{number}", False, f"AGG {number}")
                     for number in range(self.pods * self.aggs_a_pod))
        nodes.extend(Node(f"core{number}", False, f"core {number}") for number in range(self.cores))
        down = self.value(0, "radix_down")
        result.links.extend(self.link(0, host, tor + host // down) for host in range(self.hosts))
        for number in range(self.tors):
            pod = number // self.tors_a_pod
            for place in range(self.aggs_a_pod):
                result.links.extend(self.link(1, tor + number, agg + pod * self.aggs_a_pod + place)
                                    for _ in range(self.value(1, "bundle", 1)))
        for (pod, place), cores in self.cores_of.items():
            for number in cores:
                result.links.extend(self.link(2, agg + pod * self.aggs_a_pod + place, core + number)
                                    for _ in range(self.value(2, "bundle", 1)))
        self._shape(result)
        self._note(result)
        return result

    def _shape(self, result):
        """Sets the regular shape of the topology if the platform has the same tree."""
        def described(link):
            return {"rate": rate_text(link.rate), "delay": time_text(link.delay), "overhead": "0B"}

        if any(self.value(tier, "bundle", 1) > 1 for tier in range(len(self.tiers))):
            return
        host, fabric = self.link(0, 0, 1), self.link(1, 0, 1)
        down = self.value(0, "radix_down")
        if len(self.tiers) == 2:
            if down <= 1024 and self.tors <= 4096 and self.aggs_a_pod <= 1024:
                result.shape = {"kind": "leaf_spine", "leaves": self.tors, "hosts_per_leaf": down,
                                "spines": self.aggs_a_pod, "host_link": described(host),
                                "fabric_link": described(fabric)}
        elif described(fabric) == described(self.link(2, 0, 1)) and down <= 256 and self.cores <= 1024 and max(
                self.pods, self.tors_a_pod, self.aggs_a_pod) <= 64:
            result.shape = {"kind": "fat_tree", "pods": self.pods, "racks_per_pod": self.tors_a_pod,
                            "aggs_per_pod": self.aggs_a_pod, "hosts_per_rack": down, "cores": self.cores,
                            "host_link": described(host), "fabric_link": described(fabric)}

    def _note(self, result):
        notes, name = result.notes, base_name(self.source.name)
        notes.read.append(f"{name}: {plural(self.hosts, 'host')}, {self.tors} ToR, "
                          f"{self.pods * self.aggs_a_pod} AGG, {self.cores} core switches, "
                          f"{plural(len(result.links), 'link')}")
        if any(self.value(tier, "switch_latency_ns") for tier in range(len(self.tiers))):
            notes.assumed.append("the time through a switch stands half in the delay of each link at the switch, so "
                                 "every way takes the time it takes in the source")
        queues = sorted({f"{key.capitalize()} {self.tiers[tier][key][0]}" for tier in range(len(self.tiers))
                         for key in ("queue_up", "queue_down") if key in self.tiers[tier]})
        if queues:
            notes.not_expressed.append(f"output queues of a size ({', '.join(queues)}); ports share switch.buffer")


def star_of(hosts, settings):
    """Returns (star network, its description in words) for an import without a topology, with the settings rate and
    delay; InputError for an invalid setting."""
    texts, values = [], []
    for name, kind, default in (("rate", "rate", "100Gbps"), ("delay", "time", "1us")):
        texts.append(settings.get(name, default))
        parsed = quantity.parse(texts[-1])
        if parsed is None or parsed[1] != kind:
            raise InputError(f"--set {name}={settings[name]}: expected a {kind} such as {default}")
        values.append(int(parsed[0]))
    return star(hosts, *values), f"{hosts} hosts on one switch, {', '.join(texts)}"


def star(hosts, rate, delay):
    """Returns a star network, for an import without a topology."""
    result = Imported()
    result.nodes.extend(Node(f"h{host}", True, str(host)) for host in range(hosts))
    result.nodes.append(Node("s0", False, "switch"))
    result.links.extend(Link(host, hosts, rate, delay, overhead=0) for host in range(hosts))
    result.shape = {"kind": "star", "hosts": hosts,
                    "link": {"rate": rate_text(rate), "delay": time_text(delay), "overhead": "0B"}}
    return result
