"""dccvp import hpcc: imports topology.txt, flow.txt, trace.txt and config.txt of the HPCC authors' simulator,
astra-sim's ns-3 backend and SimAI. A config.txt alone names the other files."""

import collections
import pathlib
import re

from dccvp.importers import hpcc_config, hpcc_flows, hpcc_topology
from dccvp.importers.network import time_text
from dccvp.importers.source import base_name, read

SETTINGS: dict[str, str] = {}
LATEST_STOP = 10**15 + 2 * 10**12  # Latest end of a run, in ps, that the import keeps as the duration.
EPOCH = 2 * 10**12  # Flows of the HPCC authors' simulator start 2 s after its beginning; in ps.


def sort_files(paths):
    """Returns {kind: Source} of the given files; InputError if a kind occurs twice or the topology is missing."""
    found = {}
    for path in paths:
        source = read(path)
        if re.match(r"\s*[A-Za-z{#]", source.text):
            kind = "config.txt"
        elif hpcc_topology.is_topology(source):
            kind = "topology.txt"
        else:
            kind = "flow.txt" if hpcc_flows.is_flow_list(source) else "trace.txt"
            if hpcc_flows.is_empty_list(source) and "flow.txt" in found:
                kind = "trace.txt"
        if kind in found:
            source.fail(0, f"a second {kind}, beside {found[kind].name}")
        found[kind] = source
    return found


def read_files(paths, _settings):
    files = sort_files(paths)
    notes_of_config = None
    if "config.txt" in files:
        imported_notes = hpcc_topology.Imported().notes
        notes_of_config = hpcc_config.Config(files["config.txt"], imported_notes)
        _named_files(files, notes_of_config)
    if "topology.txt" not in files:
        next(iter(files.values())).fail(0, "no topology.txt among the files, nor named by a config.txt: a topology has "
                                        "a line such as 0 8 100Gbps 1us 0 for each link")
    loss = notes_of_config.number("ERROR_RATE_PER_LINK", 0, 0, 1) if notes_of_config else 0
    imported, index = hpcc_topology.read_topology(files["topology.txt"], loss)
    if notes_of_config:
        for mine, theirs in zip(imported.notes.sections(), notes_of_config.notes.sections()):
            mine[1].extend(theirs[1])
        notes_of_config.notes = imported.notes
        notes_of_config.use("ERROR_RATE_PER_LINK", "faults, where a link has no error rate of its own")
    flows = []
    if "flow.txt" in files:
        payload = int(notes_of_config.number("PACKET_PAYLOAD_SIZE", 1000, 64, 9000)) if notes_of_config else 1000
        flows = hpcc_flows.read_flows(files["flow.txt"], index, imported.nodes, imported.notes, payload)
        imported.flows["flows.flow"] = flows
    if "trace.txt" in files:
        hpcc_flows.read_trace(files["trace.txt"], index, imported.notes)
    offset = _offset(imported, flows)
    priorities = sorted({flow.priority for flow in flows})
    nic_rate = _nic_rate(imported)
    if notes_of_config:
        _configure(imported, notes_of_config, index, nic_rate, priorities, offset)
    else:
        imported.notes.assumed.append("no config.txt: buffers, marking and congestion control are the platform's own")
    _queues(imported, priorities)
    return imported


def _named_files(files, config):
    """Opens the files that a config.txt names and that the user did not give."""
    for key, kind in (("TOPOLOGY_FILE", "topology.txt"), ("FLOW_FILE", "flow.txt"), ("TRACE_FILE", "trace.txt")):
        if not config.has(key):
            continue
        named = pathlib.PurePath(config.text(key))
        if kind in files:
            config.use(key, f"given: {base_name(files[kind].name)}")
            continue
        beside = pathlib.Path(config.source.name).parent
        places = [pathlib.Path(named), beside / named, beside / named.name]
        found = next((place for place in places if "\0" not in str(place) and _is_file(place)), None)
        if found is None:
            config.notes.ignored.append(f"{key} {named}: no such file, and none was given")
            continue
        files[kind] = read(found)
        config.use(key, f"read: {found}")


def _is_file(place):
    try:
        return place.is_file()
    except OSError:
        return False


def _offset(imported, flows):
    """Returns the time in the source's files that becomes time 0 of the platform."""
    offset = EPOCH if flows and flows[0].start >= EPOCH else 0
    imported.time_offset = offset
    if offset:
        imported.notes.assumed.append("the run begins 2 s after the original's beginning, where its flows begin "
                                      "(time_offset)")
    return offset


def _nic_rate(imported):
    """Returns the rate of the first host's first link, which the HPCC authors' simulator takes as the NIC rate."""
    linked = [(end, link.rate) for end, link in imported.ends() if imported.nodes[end].is_host]
    return min(linked, key=lambda one: one[0], default=(0, 10**11))[1]


def _configure(imported, config, index, nic_rate, priorities, offset):
    port_rates = collections.Counter(link.rate for end, link in imported.ends() if not imported.nodes[end].is_host)
    imported.settings.update(hpcc_config.settings(config, nic_rate, port_rates, priorities))
    stop = config.number("SIMULATOR_STOP_TIME", None, 0, 10**18)
    stop = None if stop is None else round(stop * 10**12)
    if stop is not None and stop > LATEST_STOP:
        imported.notes.assumed.append(f"SIMULATOR_STOP_TIME {config.text('SIMULATOR_STOP_TIME')} never comes: a "
                                      "duration for all flows instead")
        config.use("SIMULATOR_STOP_TIME", "none: a duration for all flows")
    elif stop is not None and stop > offset:
        imported.settings["duration"] = time_text(min(stop - offset, 10**15))
        config.use("SIMULATOR_STOP_TIME", "duration")
    elif stop is not None:
        imported.notes.assumed.append(f"SIMULATOR_STOP_TIME {config.text('SIMULATOR_STOP_TIME')} lies before the "
                                      "flows: a duration for all of them instead")
    if config.has("LINK_DOWN"):
        _link_down(imported, config, index, offset)
    imported.notes.read.append(f"{config.name}: {len(config.values)} keys")
    imported.tables.append((config.name, ("key", "value", "becomes"), list(config.rows())))


def _link_down(imported, config, index, offset):
    when, a, b = config.values["LINK_DOWN"]
    after = config.source.number(when, "a time in us", 0, 10**12)
    ends = [config.source.integer(word, "a node", 0, 2**32 - 1) for word in (a, b)]
    config.use("LINK_DOWN", "none")
    if not after:
        return
    numbers = [index.get(end) for end in ends]
    if not any({link.a, link.b} == set(numbers) for link in imported.links):
        config.source.fail(a, f"LINK_DOWN: the topology has no link between {ends[0]} and {ends[1]}")
    names = [imported.nodes[number].name for number in numbers]
    imported.faults.append({"kind": "link_failure", "link": "--".join(names), "convergence": "0us",
                            "start": time_text(round(after * 10**6) + EPOCH - offset)})
    config.use("LINK_DOWN", "faults")


def _queues(imported, priorities):
    """Returns settings of queues: queue 0 has the highest priority and is neither marked nor paused; the others are
    served round robin."""
    switch = imported.settings.setdefault("switch", {})
    if 0 in priorities:
        switch.setdefault("pfc", {})["priorities"] = list(range(1, 8))
        switch["scheduler"] = {"kind": "ets", "weights": [0] + [1] * 7}
        if switch.get("ecn", {}).get("enabled", True):
            switch.setdefault("ecn", {})["priorities"] = list(range(1, 8))
