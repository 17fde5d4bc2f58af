"""dccvp import sonic: imports buffers, queues, marking and PFC of a SONiC CONFIG_DB (JSON), with the table
pg_profile_lookup.ini for profiles that depend on speed and cable. The setting of most ports goes to `switch`;
lossless classes, schedulers and watchdogs of other ports become entries of `switches`.
"""

import collections
import fractions
import re

from dccvp.importers import sonic_queues
from dccvp.importers.network import Imported, Link, Node, decimal, size_text, some, unique_name
from dccvp.importers.sonic_data import REFERENCE, Database, read_lookup
from dccvp.importers.source import base_name, quoted, read

SETTINGS: dict[str, str] = {}
QUEUES = 8
DEFAULT_CABLE, PS_PER_METRE = 5, 5000
POOL_TYPES = ("ingress", "both")


def most_common(counter):
    """Returns the entry with the greatest count; the first entry if several are equal."""
    return max(counter, key=lambda entry: counter[entry])


def read_files(paths, _settings):
    databases: list = []
    lookup = None
    for path in paths:
        source = read(path)
        if source.text.lstrip()[:1] in "{[":
            databases.append(source)
        elif lookup is not None:
            source.fail(0, "a second pg_profile_lookup.ini")
        else:
            lookup = read_lookup(source)
    if not databases:
        read(paths[0]).fail(0, "no CONFIG_DB among the files: it is JSON and begins with '{'")
    return Profile(Database(databases), lookup or {}, [base_name(source.name) for source in databases]).imported()


class Profile:
    """Builds the platform's settings (switch.yaml) from the tables of a SONiC CONFIG_DB."""

    def __init__(self, database: Database, lookup, names):
        self.data, self.lookup = database, lookup
        self.result = Imported(part="switch.yaml")
        self.notes = self.result.notes
        self.switch: dict = {}
        self.priorities: dict = {}  # settings for the section switch.priorities
        self.by_port: dict = collections.defaultdict(dict)  # {port: {group: (name, fields) of a lossless profile}}
        self.pools: dict = {}  # {name: size} for the section switch.pools
        self.others: list = []  # Entries of the section `switches`; ports have the names of the CONFIG_DB.
        self.name = ", ".join(names)

    def imported(self):
        self._buffers()
        self._marking()
        self._scheduler()
        self._classes()
        self._queues()
        self._ports()
        if self.priorities:
            self.switch["priorities"] = {number: self.priorities[number] for number in sorted(self.priorities)}
        self.result.settings["switch"] = self.switch
        self.notes.read.append(f"{self.name}: " + ", ".join(sorted(self.data.tables)))
        if self.data.replaced:
            self.notes.ignored.append(f"fields that a later file sets anew: {some(self.data.replaced, 20)}")
        for target, said in self.data.dangling.items():
            self.notes.ignored.append(f"{self.name}: {said} names {target}, which the file does not have")
        if self.data.others:
            self.notes.ignored.append(f"{self.name}: other tables: {some(self.data.others, 20)}")
        return self.result

    def _cable(self, port):
        for key, ports in self.data.table("CABLE_LENGTH").items():
            if port in ports:
                match = re.fullmatch(r"([0-9]{1,7})m", ports[port])
                if match is None:
                    self.data.fail(("CABLE_LENGTH", key, port), f"expected metres such as 40m, not "
                                   f"{quoted(ports[port])}")
                return int(match[1])
        return None

    def _speed(self, port):
        return self.data.field("PORT", port, "speed", 1, 10**8) if port in self.data.table("PORT") else None

    def _profile_of(self, key, port):
        """Returns (name, fields) of a priority group's profile; None for a dynamic profile that no table gives."""
        name = self.data.referred("BUFFER_PG", key, "profile", "BUFFER_PROFILE")
        if name is not None:
            return name, self.data.table("BUFFER_PROFILE")[name]
        speed, cable = self._speed(port), self._cable(port)
        if (speed, cable) in self.lookup:
            return f"pg_lossless_{speed}_{cable}m_profile", self.lookup[speed, cable]
        return None

    def _buffers(self):
        lossless: collections.Counter = collections.Counter()
        fields_of, groups, unknown = {}, set(), set()
        lossy: dict = collections.defaultdict(dict)  # {port: {group: name of a lossy profile}}.
        for key, port, group in self.data.rows_by_number("BUFFER_PG"):
            found = self._profile_of(key, port)
            if found is None:
                unknown.add(port)
                groups.add(group)
            elif "xoff" in found[1]:
                lossless[found[0]] += 1
                fields_of[found[0]] = found[1]
                groups.add(group)
                self.by_port[port][group] = found
            else:
                lossy[port][group] = found[0]
        if not lossless:  # An excerpt of a database may contain profiles without the ports that use them.
            for name, fields in self.data.table("BUFFER_PROFILE").items():
                if "xoff" in fields:
                    lossless[name], fields_of[name] = 1, fields
        if not lossless and not unknown:
            self._by_cable(lossless, fields_of)
        if unknown:
            self.notes.not_expressed.append(f"profiles computed from speed and cable, for {some(sorted(unknown))}: "
                                            "give the file pg_profile_lookup.ini too")
        self._pools()
        if lossless:
            chosen = most_common(lossless)
            self._lossless(chosen, fields_of[chosen])
        self._priorities(groups)
        enabled = self.switch.get("pfc", {}).get("priorities", range(QUEUES) if lossless else [])
        if lossless:
            settings = sonic_queues.lossless(self.data, self._path(chosen), fields_of[chosen])
            settings.update(self._pool_of(fields_of[chosen]))
            for number in enabled if settings else []:
                self.priorities[number] = dict(settings)
            for port, groups_of in self.by_port.items():
                # A profile by speed and cable applies to all priority groups of the port.
                whole = groups_of.pop(None, None)
                groups_of.update({number: whole for number in enabled if whole})
            self.others += sonic_queues.exceptions(self.data, self._path, chosen, self.by_port, enabled)
            expressed = {name for of in self.by_port.values() for name, _ in of.values()}
            rest = [name for name in lossless if name not in expressed | {chosen}]
            if rest:
                texts = [", ".join(f"{key} {value}" for key, value in fields_of[name].items() if key != "pool")
                         for name in rest]
                self.notes.not_expressed.append(f"settings by port: {chosen} holds for all; others: " + "; ".join(
                    f"{name} ({text})" for name, text in zip(rest, texts)))
            if "reserved" in settings:
                self.notes.assumed.append(f"{chosen}: of `size`, what exceeds xoff is reserved (all of it, if it does "
                                          "not exceed xoff)")
        found, others = sonic_queues.lossy_groups(self.data, lossy, enabled, self._pool_of)
        self.priorities.update(found)
        self.others += others

    def _path(self, name):
        return ("BUFFER_PROFILE", name) if name in self.data.table("BUFFER_PROFILE") else (name,)

    def _queues(self):
        enabled = self.switch.get("pfc", {}).get("priorities", [])
        limits = sonic_queues.QueueLimits(self.data, self.notes, enabled)
        self.others += limits.others
        for number, limit in limits.found.items():
            self.priorities.setdefault(number, {})["queue"] = limit
        if limits.pools:
            self.switch["egress_pools"] = [{"name": name, "size": size_text(size)}
                                           for name, size in limits.pools.items()]
        unused = [name for name in sonic_queues.egress_pools(self.data) if name not in limits.pools]
        if unused:
            self.notes.ignored.append(f"egress pools that no lossy queue has: {some(unused, 20)}")
        watchdog, others = sonic_queues.watchdogs(self.data, self.notes)
        if watchdog:
            self.switch.setdefault("pfc", {})["watchdog"] = watchdog
        self.others.extend(others)

    def _by_cable(self, lossless, fields_of):
        """Adds the profiles that SONiC itself gives to ports with pfc_enable, by speed and cable length. In a database
        excerpt without speeds, all speeds of the table with the port's cable length count."""
        for ports in self.data.table("CABLE_LENGTH").values():
            for port in ports:
                cable, speed = self._cable(port), self._speed(port)
                for (mbps, metres), profile in self.lookup.items():
                    if metres == cable and speed in (None, mbps):
                        name = f"pg_lossless_{mbps}_{metres}m_profile"
                        lossless[name] += 1
                        fields_of[name] = profile
                        if speed is not None:
                            self.by_port[port][None] = name, profile
        if lossless:
            self.notes.assumed.append("lossless priority groups have the profiles of pg_profile_lookup.ini by speed "
                                      "and cable, as SONiC makes them")

    def _pools(self):
        sizes, shared = {}, 0
        for name, fields in self.data.table("BUFFER_POOL").items():
            size = self.data.field("BUFFER_POOL", name, "size", 0, 2**36)
            if fields.get("type", "ingress") in POOL_TYPES and size:
                sizes[name] = size
                shared = max(shared, self.data.field("BUFFER_POOL", name, "xoff", 0, 2**36) or 0)
        if sizes:
            chosen = max(sizes, key=lambda name: ("lossless" in name, sizes[name]))
            self.pools = {name: max(size, 1000) for name, size in sizes.items() if name != chosen}
            size = max(sizes[chosen], 16_000) + sum(self.pools.values()) + shared
            self.switch["buffer"] = size_text(min(size, 2**36))
            if self.pools:
                self.switch["pools"] = [{"name": name, "size": size_text(size)} for name, size in self.pools.items()]
                self.notes.assumed.append(f"classes without a profile use {chosen}")
            known = sizes.keys() | sonic_queues.egress_pools(self.data).keys()
            rest = [name for name in self.data.table("BUFFER_POOL") if name not in known]
            if rest:
                self.notes.not_expressed.append(f"pools without a size: {', '.join(rest)}")
        elif self.data.table("BUFFER_POOL"):
            self.notes.assumed.append("pools without a size: the platform's buffer")
        if shared and sizes:
            self.switch.setdefault("pfc", {})["shared_headroom"] = size_text(shared)
            self.notes.assumed.append(f"the shared headroom of {size_text(shared)} comes beside the pool's size")

    def _pool_of(self, fields):
        """Returns {pool: …} of a profile in an explicit pool; empty if the profile's pool is the rest of the
        buffer."""
        match = REFERENCE.fullmatch(fields.get("pool", ""))
        name = match[1] if match else fields.get("pool", "")
        return {"pool": name} if name in self.pools else {}

    def _lossless(self, name, fields):
        """Returns the section switch.pfc for a profile of a lossless priority group."""
        def number(field, least, most):
            path = self._path(name)
            path = (*path, field) if len(path) > 1 else path
            return self.data.number(path, fields[field], least, most) if field in fields else None

        pfc: dict = self.switch.setdefault("pfc", {})
        power = number("dynamic_th", -8, 7)
        if power is not None:
            alpha = min(fractions.Fraction(2) ** power, fractions.Fraction(64))
            pfc["alpha"] = decimal(alpha)
            if power > 6:
                self.notes.assumed.append(f"dynamic_th {power}: alpha 64, the platform's greatest")
        headroom = number("xoff", 0, 2**30)
        if headroom:
            pfc["headroom"] = size_text(headroom)
        offset = number("xon_offset", 0, 2**30)
        if offset:
            pfc["resume_below"] = size_text(offset)

    def _priorities(self, groups):
        of_port: dict = {}
        for key, fields in self.data.table("PORT_QOS_MAP").items():
            paused = {self.data.number(("PORT_QOS_MAP", key, "pfc_enable"), text.strip(), 0, QUEUES - 1)
                      for text in filter(None, fields.get("pfc_enable", "").split(","))}
            if key != "global" or paused:
                of_port.update(dict.fromkeys(key.split(","), paused))
        enabled = set().union(*of_port.values())
        without = collections.defaultdict(list)
        for port, paused in of_port.items():
            if paused != enabled and port != "global":
                without[tuple(sorted(enabled - paused))].append(port)
        self.others = [{"ports": ports, "priorities": {priority: {"lossy": True} for priority in priorities}}
                       for priorities, ports in without.items()]
        if not enabled:
            enabled = {group for group in groups if group < QUEUES}
            if enabled:
                self.notes.assumed.append("no pfc_enable: the priorities of lossless groups are paused")
        if enabled or self.data.table("PORT_QOS_MAP"):
            self.switch.setdefault("pfc", {})["priorities"] = sorted(enabled)

    def _marking(self):
        used: collections.Counter = collections.Counter()
        queues = collections.defaultdict(set)
        for key, _, queue in self.data.rows_by_number("QUEUE"):
            name = self.data.referred("QUEUE", key, "wred_profile", "WRED_PROFILE")
            if name is not None:
                used[name] += 1
                queues[name].add(queue)
        for name in self.data.table("WRED_PROFILE"):
            used[name] += 0
        if not used:
            if self.data.table("QUEUE"):
                self.switch["ecn"] = {"enabled": False}
                self.notes.assumed.append("no queue has a WRED profile: nothing is marked")
            return
        chosen = most_common(used)
        marked, others = sonic_queues.queue_marking(self.data, chosen)
        self.others += others
        for queue, own in marked.items():
            self.priorities.setdefault(queue, {}).update(own)
        fields = self.data.table("WRED_PROFILE")[chosen]
        marks = fields.get("ecn", "ecn_none")
        if marks not in ("ecn_all",) and "green" not in marks:
            self.switch["ecn"] = {"enabled": False}
            self.notes.assumed.append(f"{chosen} marks no green packets ({marks}): queues with this profile mark "
                                      "nothing")
            return
        if "green_max_threshold" not in fields:
            self.notes.not_expressed.append(f"{chosen} has no green_max_threshold: the platform's own thresholds hold")
            return
        self.switch["ecn"] = sonic_queues.thresholds(self.data, chosen)
        self.notes.assumed.append("marking compares the momentary length of the queue; green values hold")
        marking = sorted(queue for queue in queues[chosen] if queue < QUEUES)
        if marking and len(marking) < QUEUES:
            self.switch["ecn"]["priorities"] = marking
        others = [name for name in used if used[name] == 0 and name != chosen]
        if others:
            self.notes.ignored.append(f"WRED profiles that no queue has: {some(others, 20)}")

    def _scheduler(self):
        by_port = collections.defaultdict(dict)
        for key, port, queue in self.data.rows_by_number("QUEUE"):
            name = self.data.referred("QUEUE", key, "scheduler", "SCHEDULER")
            if name is not None and queue < QUEUES:
                by_port[port][queue] = name
        if not by_port:
            return
        counts = collections.Counter(tuple(sorted(queues.items())) for queues in by_port.values())
        # The port with the most queues stands for all ports; among several such ports the most frequent setting
        # counts.
        chosen = max(counts, key=lambda entry: (len(entry), counts[entry]))
        self.switch["scheduler"] = self._scheduler_of(chosen)
        missing = [queue for queue in range(QUEUES) if queue not in dict(chosen)]
        if missing:
            self.notes.assumed.append(f"queues without a scheduler have the weight 1: {some(missing, 8)}")
        for other in counts:
            own = self._scheduler_of(other)
            if own != self.switch["scheduler"]:
                ports = [port for port in by_port if tuple(sorted(by_port[port].items())) == other]
                self.others.append({"ports": ports, "scheduler": own})

    def _scheduler_of(self, queues):
        """Returns the section `scheduler` of a port with these names of SCHEDULER rows by queue."""
        weights, strict = [1] * QUEUES, 0
        for queue, name in queues:
            fields = self.data.table("SCHEDULER")[name]
            kind = fields.get("type", "WRR")
            if kind not in ("STRICT", "DWRR", "WRR"):
                self.data.fail(("SCHEDULER", name, "type"), f"expected DWRR, WRR or STRICT, not {quoted(kind)}")
            strict += kind == "STRICT"
            weight = self.data.field("SCHEDULER", name, "weight", 1, 100)
            weights[queue] = 0 if kind == "STRICT" else weight or 1
            for limit in ("cir", "pir"):
                note = f"{name}: {limit} {fields.get(limit)}, a limit of the rate"
                if fields.get(limit, "0") != "0" and note not in self.notes.not_expressed:
                    self.notes.not_expressed.append(note)
        return {"kind": "strict"} if strict == QUEUES else {"kind": "ets", "weights": weights}

    def _map(self, name, field, table, keys, values):
        """Returns {number: number} of the map that a PORT_QOS_MAP row names; empty if the row names none."""
        chosen = self.data.referred("PORT_QOS_MAP", name, field, table)
        if chosen is None:
            return {}
        found = {}
        for key, value in self.data.table(table)[chosen].items():
            place = (table, chosen, key)
            found[self.data.number(place, key, 0, keys)] = self.data.number(place, value, 0, values)
        return found

    def _classes(self):
        ports = self.data.table("PORT_QOS_MAP")
        names = [name for name in ports if "dscp_to_tc_map" in ports[name]]
        if not names:
            return
        used = collections.Counter(ports[name]["dscp_to_tc_map"] for name in names)
        # The row "global" may hold for DSCPs only, while rows of single ports hold for the other mappings.
        name = max((name for name in names if ports[name]["dscp_to_tc_map"] == most_common(used)),
                   key=lambda name: sum("map" in field for field in ports[name]))
        rest = next((name for name in ports if "tc_to_queue_map" in ports[name]), name)
        if len(used) > 1:
            self.notes.not_expressed.append(f"maps of DSCPs by port: that of {name} holds")
        classes = self._map(name, "dscp_to_tc_map", "DSCP_TO_TC_MAP", 63, 63)
        rest = name if "tc_to_queue_map" in ports[name] else rest
        queue_of = self._map(rest, "tc_to_queue_map", "TC_TO_QUEUE_MAP", 63, 63)
        group_of = self._map(rest, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", 63, 63)
        if not queue_of:
            self.notes.assumed.append("no map of traffic classes to queues: the same numbers")
        dscp, beyond = {}, []
        groups: dict[int, dict[int, list]] = {}  # {queue: {priority group: list of DSCPs}}
        for code, traffic_class in sorted(classes.items()):
            queue = queue_of.get(traffic_class, traffic_class if not queue_of else 0)
            if queue >= QUEUES:
                beyond.append(code)
                continue
            if queue:
                dscp[code] = {"priority": queue}
            group = group_of.get(traffic_class, 0) if group_of else queue
            groups.setdefault(queue, {}).setdefault(group, []).append(code)
        if dscp:
            self.result.settings["dscp"] = dscp
        if 48 in dscp:
            self.result.settings["nic"] = {"cnp": {"priority": dscp[48]["priority"]}}
        self._groups(groups)
        if beyond:
            self.notes.not_expressed.append(f"queues above 7, for DSCP {some(beyond)}")

    def _groups(self, groups):
        """Sets the priority group of each lossy queue whose packets count in a group of another number."""
        lossless = self.switch.get("pfc", {}).get("priorities", [])
        apart = []
        for queue, codes in groups.items():
            group = next(iter(codes))
            # true if the group's own queue counts in the group or is not used
            alone = set(groups.get(group, {group})) == {group}
            if set(codes) == {queue}:
                continue
            if len(codes) > 1 or group >= QUEUES or queue in lossless or group in lossless or not alone:
                apart += [code for number, some_codes in codes.items() if number != queue for code in some_codes]
                continue
            own = self.priorities.setdefault(queue, {})
            self.priorities[queue] = {"group": group, **{key: own[key] for key in own.keys() & {"queue", "ecn"}}}
        if apart:
            self.notes.not_expressed.append("a priority group that is not the queue's number, for DSCP "
                                            f"{some(sorted(apart), 20)}: buffers are counted by queue (only lossy "
                                            "queues as a whole can count in another lossy group)")

    def _ports(self):
        """Adds a host at each port, so that the imported profile can be run."""
        ports = [port for port in self.data.table("PORT") if self._speed(port)]
        unknown = [port for port in self.data.table("PORT") if port not in ports]
        if unknown:
            self.notes.ignored.append(f"ports without a speed: {some(unknown, 8)}")
        if len(ports) < 2:
            if self.others:
                self.notes.not_expressed.append(
                    "settings by port, for " + some(sorted({port for one in self.others for port in one["ports"]}), 20)
                    + ": the table PORT has no two ports with a speed")
            return
        cables = {port: self._cable(port) for port in ports}
        taken = {"switch"}
        names = {port: unique_name(port, taken) for port in ports}
        self.result.nodes.extend(Node(names[port], True, port) for port in ports)
        absent = sorted({port for one in self.others for port in one["ports"]} - set(names))
        if absent:
            self.notes.not_expressed.append(f"settings by port, for {some(absent)}: the table PORT does not have them")
        for one in self.others:
            one["ports"] = [names[port] for port in one["ports"] if port in names]
        self.others = [one for one in self.others if one["ports"]]
        if self.others:
            self.result.settings["switches"] = self.others
        self.result.nodes.append(Node("switch", False, "the switch"))
        for number, port in enumerate(ports):
            speed = self._speed(port) * 10**6
            if not 10**6 <= speed <= 10**13:
                self.data.fail(("PORT", port, "speed"), "the platform's links have 1 to 10000000 Mb/s, not "
                               f"{speed // 10**6}")
            metres = cables[port] if cables[port] is not None else DEFAULT_CABLE
            if metres * PS_PER_METRE > 10**12:
                self.data.fail(("CABLE_LENGTH", port), f"a cable of {metres} m; the platform takes up to 200000 km")
            self.result.links.append(Link(number, len(ports), speed, metres * PS_PER_METRE))
        self.notes.assumed.append("a host at each port of the table PORT, 5 ns of delay for a metre of cable"
                                  + (f" ({DEFAULT_CABLE} m where none is given)" if None in cables.values() else "")
                                  + "; include switch.yaml in a configuration with a network of your own")
