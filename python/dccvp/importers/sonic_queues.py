"""Reads settings of single priorities and of the PFC watchdog from a SONiC CONFIG_DB."""

import collections
import fractions

from dccvp.importers.network import decimal, size_text, some
from dccvp.importers.sonic_data import REFERENCE

QUEUES = 8
LEAST_POOL = 1000  # Least size of an egress buffer pool in bytes; smaller sizes are raised to it.
GREATEST_ALPHA = "128"
LEAST_LIMIT = 2000  # Least limit of a queue in bytes; a smaller limit would admit no packet of the usual size.


def threshold(data, path, fields):
    """Returns {alpha: …} or {limit: …} of a buffer profile; empty for a profile without a threshold."""
    if "dynamic_th" in fields:
        power = data.number((*path, "dynamic_th"), fields["dynamic_th"], -8, 7)
        return {"alpha": decimal(fractions.Fraction(2) ** power)}
    if "static_th" in fields:
        size = data.number((*path, "static_th"), fields["static_th"], 0, 2**36)
        return {"limit": size_text(max(size, LEAST_LIMIT))}
    return {}


def size_of(data, path, fields, name, most=2**30):
    return data.number((*path, name), fields[name], 0, most) if name in fields else 0


def lossless(data, path, fields):
    """Returns the settings of a lossless class that are not part of switch.pfc: reserved bytes, the floor for
    resuming, and a fixed limit."""
    found = {"limit": threshold(data, path, fields)["limit"]} if "static_th" in fields else {}
    size, headroom = size_of(data, path, fields, "size"), size_of(data, path, fields, "xoff")
    reserved = size - headroom if size >= headroom else size
    if reserved:
        found["reserved"] = size_text(reserved)
    floor = size_of(data, path, fields, "xon", 2**36)
    if floor:
        found["resume_at"] = size_text(floor)
        if not size_of(data, path, fields, "xon_offset"):
            # a floor this high has no effect, so xon alone decides when the class resumes
            found["resume_below"] = "1GiB"
    return found


def of_port(data, path, fields):
    """Returns all settings of a lossless class, complete, so that no setting of other ports remains in effect."""
    found = {"reserved": "0B", "resume_at": "0B", **threshold(data, path, fields), **lossless(data, path, fields)}
    found["headroom"] = size_text(size_of(data, path, fields, "xoff"))
    offset = size_of(data, path, fields, "xon_offset")
    if offset:
        found["resume_below"] = size_text(offset)
    return found


def entries_of(by_port, differs, settings):
    """Returns entries of `switches`, one for all ports with the same exceptions. by_port: {port: {priority: profile}};
    differs(priority, profile): true for an exception; settings(priority, profile): the settings of the priority."""
    ports_of = collections.defaultdict(list)
    for port, profiles in by_port.items():
        own = tuple((number, name) for number, name in sorted(profiles.items()) if differs(number, name))
        if own:
            ports_of[own].append(port)
    return [{"ports": ports, "priorities": {number: settings(number, name) for number, name in own}}
            for own, ports in ports_of.items()]


def exceptions(data, path_of, chosen, by_port, enabled):
    """Returns entries of `switches` for ports whose lossless groups use another profile than `chosen`. by_port:
    {port: {group: (name of the profile, fields)}}."""
    fields_of = {name: fields for groups in by_port.values() for name, fields in groups.values()}
    names = {port: {group: name for group, (name, _) in groups.items()} for port, groups in by_port.items()}
    return entries_of(names, lambda group, name: group in enabled and name != chosen,
                      lambda _, name: of_port(data, path_of(name), fields_of[name]))


def lossy(data, path, fields):
    found = threshold(data, path, fields)
    size = size_of(data, path, fields, "size")
    if size:
        found["reserved"] = size_text(size)
    return found


def lossy_groups(data, by_port, lossless_priorities, pool_of):
    """Returns ({priority: settings} of the lossy groups of most ports, entries of `switches` for the other ports).
    by_port: {port: {group: name of the profile}}."""
    names = collections.defaultdict(collections.Counter)
    for groups in by_port.values():
        for group, name in groups.items():
            if group < QUEUES and group not in lossless_priorities:
                names[group][name] += 1
    chosen = {group: max(counts, key=lambda one: counts[one]) for group, counts in sorted(names.items())}

    def settings(name):
        fields = data.table("BUFFER_PROFILE")[name]
        return {**lossy(data, ("BUFFER_PROFILE", name), fields), **pool_of(fields)}

    found = {group: settings(name) for group, name in chosen.items()}

    def exception(_group, name):
        # An entry of `switches` cannot remove a limit, so it sets the greatest alpha.
        limited = {"static_th", "dynamic_th"} & data.table("BUFFER_PROFILE")[name].keys()
        return {**({} if limited else {"alpha": GREATEST_ALPHA}), "reserved": "0B", **settings(name)}

    others = entries_of(by_port, lambda group, name: name != chosen.get(group, name), exception)
    return {group: own for group, own in found.items() if own}, others


class ByQueue:
    """The profiles that a table assigns to queues: those of most ports, and the exceptions."""

    def __init__(self, data, table, field, target):
        self.names: dict[int, collections.Counter] = collections.defaultdict(collections.Counter)
        self._of_port: dict[str, dict[int, str | None]] = collections.defaultdict(dict)
        for key, port, queue in data.rows_by_number(table):
            name = data.referred(table, key, field, target)
            if queue >= QUEUES:
                continue
            if name is not None:
                self.names[queue][name] += 1
                self._of_port[port][queue] = name
            elif data.table(table)[key].get(field) in (None, "", "NULL"):
                # A field with a profile that the file lacks does not count as a row without a profile.
                self._of_port[port].setdefault(queue, None)
        self.chosen = {queue: max(names, key=lambda one: names[one]) for queue, names in sorted(self.names.items())}

    def exceptions(self, settings):
        """Returns entries of `switches` for ports whose queues differ from `chosen`. settings(queue, profile name
        or None): settings of the priority; empty if the queue needs none."""
        return entries_of(self._of_port, lambda queue, name: queue in self.chosen and name != self.chosen[queue]
                          and settings(queue, name), settings)


def egress_pools(data):
    """Returns {name: size} of the pools of type egress that have a size."""
    pools = data.table("BUFFER_POOL")
    sizes = {name: data.field("BUFFER_POOL", name, "size", 0, 2**36) for name in pools
             if pools[name].get("type") == "egress"}
    return {name: max(size, LEAST_POOL) for name, size in sizes.items() if size}


class QueueLimits:
    """Builds the limits and egress pools of queues from BUFFER_QUEUE. found: {priority: section `queue`}. others:
    entries of `switches`. pools: {name: size} of the egress pools that lossy queues share. A queue of a lossless
    priority gets no limit; its bytes count in its egress pool if lossy queues have the same pool.
    """

    def __init__(self, data, notes, lossless_priorities):
        self._data, self._lossless = data, lossless_priorities
        queues = ByQueue(data, "BUFFER_QUEUE", "profile", "BUFFER_PROFILE")
        sizes = egress_pools(data)
        used = {self._pool_name(name) for queue, names in queues.names.items() if queue not in lossless_priorities
                for name in names}
        self.pools = {name: size for name, size in sizes.items() if name in used}
        settings = {queue: self._queue(queue, name) for queue, name in queues.chosen.items()}
        self.found = {queue: own for queue, own in settings.items() if own}
        self.others = queues.exceptions(self._exception)
        self._note(notes, queues)

    def _pool_name(self, profile):
        text = self._data.table("BUFFER_PROFILE")[profile].get("pool", "")
        match = REFERENCE.fullmatch(text)
        return match[1] if match else text

    def _queue(self, queue, name):
        path, fields = ("BUFFER_PROFILE", name), self._data.table("BUFFER_PROFILE")[name]
        own = {} if queue in self._lossless else threshold(self._data, path, fields)
        if self._pool_name(name) in self.pools:
            own["pool"] = self._pool_name(name)
            reserved = size_of(self._data, path, fields, "size")
            if reserved:
                own["reserved"] = size_text(reserved)
        return own

    def _exception(self, queue, name):
        if name is None:
            return {}
        own = self._queue(queue, name)
        if queue not in self._lossless and not own.keys() & {"alpha", "limit"}:
            # an entry of `switches` cannot remove a limit, so it sets the greatest alpha
            own = {"alpha": GREATEST_ALPHA, **own}
        if own.get("pool"):
            own.setdefault("reserved", "0B")
        return {"queue": own} if own else {}

    def _note(self, notes, queues):
        others = {queue for queue, own in self.found.items() if own.keys() & {"alpha", "limit"} and "pool" not in own}
        if others:
            named = {self._pool_name(name) for queue, name in queues.chosen.items() if queue in others}
            notes.assumed.append("the alpha of a queue whose pool is not an egress pool with a size refers to the free "
                                 f"part of the buffer ({some(sorted(filter(None, named)), 4) or 'none named'})")
        if any(queue in self._lossless for queue in queues.chosen):
            notes.assumed.append("queues of lossless priorities have no limit: their senders are paused")
        if any("reserved" in own for own in self.found.values()):
            notes.assumed.append("the size of a queue's profile is kept for the queue beside its egress pool")


def queue_marking(data, chosen):
    """Returns ({priority: {ecn: …}} of queues whose WRED profile is not `chosen`, entries of `switches`)."""
    queues = ByQueue(data, "QUEUE", "wred_profile", "WRED_PROFILE")
    found = {}
    for queue, name in queues.chosen.items():
        fields = data.table("WRED_PROFILE")[name]
        own = {} if name == chosen else values(data, name, fields)
        if fields.get("wred_green_enable") == "true":
            own["drop"] = True
        if own:
            found[queue] = {"ecn": own}

    def marking_of(_queue, name):
        if name is None:
            return {"ecn": {"enabled": False, "drop": False}}
        fields = data.table("WRED_PROFILE")[name]
        return {"ecn": {**values(data, name, fields), "drop": fields.get("wred_green_enable") == "true"}}

    return found, queues.exceptions(marking_of)


def values(data, name, fields):
    """Returns the marking parameters of one WRED profile; those of green packets apply."""
    marks = fields.get("ecn", "ecn_none")
    own = {"enabled": marks == "ecn_all" or "green" in marks}
    if "green_max_threshold" in fields:
        own.update(thresholds(data, name))
    return own


def thresholds(data, name):
    """Returns kmin, kmax and pmax of the green packets of a WRED profile that has green_max_threshold."""
    def field(key, most, default):
        value = data.field("WRED_PROFILE", name, key, 0, most)
        return default if value is None else value

    low, high = field("green_min_threshold", 2**31 - 1, 0), field("green_max_threshold", 2**31 - 1, 0)
    if low > high:
        data.fail(("WRED_PROFILE", name, "green_min_threshold"),
                  f"green_min_threshold {low} is above green_max_threshold {high}")
    return {"kmin": size_text(low), "kmax": size_text(high),
            "pmax": decimal(fractions.Fraction(field("green_drop_probability", 100, 100), 100))}


def watchdogs(data, notes):
    """Returns the section switch.pfc.watchdog (empty if the database configures no watchdog), and entries of
    `switches` for ports whose watchdog differs."""
    rows = data.table("PFC_WD")
    of_port = {port: _watchdog(data, notes, key) for key in rows if key != "GLOBAL" and "detection_time" in rows[key]
               for port in key.split(",")}
    if not any(of_port.values()):
        return {}, []
    set_of = {port: tuple(own.items()) for port, own in of_port.items() if own}
    counts = collections.Counter(set_of.values())
    most = dict(counts.most_common(1)[0][0])
    found = dict(most)
    if "POLL_INTERVAL" in rows.get("GLOBAL", {}):
        poll = data.field("PFC_WD", "GLOBAL", "POLL_INTERVAL", 1, 10_000)
        least = min(int(own["detect"].removesuffix("ms")) for own in of_port.values() if own)
        if poll > least:
            notes.assumed.append(f"PFC_WD: POLL_INTERVAL {poll} is above detection_time {least}, which holds for both")
        found["poll"] = f"{min(poll, least)}ms"
    others = collections.defaultdict(list)
    for port, own in of_port.items():
        if own != most:
            others[tuple(own.items())].append(port)
    without = [port for port in data.table("PORT") if port not in of_port]
    if without:
        others[()].extend(without)
    return found, [{"ports": ports, "watchdog": dict(own) or {"enabled": False}} for own, ports in others.items()]


def _watchdog(data, notes, key):
    """Returns the watchdog of one row of PFC_WD; empty for an action that the platform does not have."""
    action = data.table("PFC_WD")[key].get("action", "drop")
    if action not in ("drop", "forward"):
        notes.not_expressed.append(f"the PFC watchdog's action {action}: no watchdog at {key}")
        return {}
    detect = data.field("PFC_WD", key, "detection_time", 1, 10_000)
    # SONiC's pfcwd has this default for the restoration time
    restore = data.field("PFC_WD", key, "restoration_time", 1, 100_000) or 2 * detect
    if restore < detect:
        notes.assumed.append(f"PFC_WD {key}: restoration_time {restore} is below detection_time {detect}, which holds "
                             "for both")
    return {"detect": f"{detect}ms", "restore": f"{max(restore, detect)}ms", "action": action}
