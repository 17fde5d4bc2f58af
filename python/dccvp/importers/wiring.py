"""Adapts an imported network to the platform, where the links of a host are its ports and no host forwards packets.

Hosts that forward packets of others get switches of their own."""

from dccvp.common.ending import InputError
from dccvp.importers.network import Link, Node, plural, reached, some, unique_name

MOST_RATE = 10**13
FAST = 200 * 10**9  # Rate in bit/s above which the platform's default DMA would be too slow.


def fit(imported, where):
    """Adapts `imported` in place. `where`, the name of the file, begins an InputError."""
    if not imported.nodes:
        return
    degree = [0] * len(imported.nodes)
    beside_host = [False] * len(imported.nodes)
    for link in imported.links:
        for end, other in ((link.a, link.b), (link.b, link.a)):
            degree[end] += 1
            beside_host[end] |= imported.nodes[end].is_host and imported.nodes[other].is_host
    own = [number for number in imported.hosts() if degree[number] > 1 or beside_host[number]]
    _check_connected(imported, where)
    if own and not _needs_no_relay(imported, own):
        _add_switches(imported, own)
    elif own:
        names = some(imported.nodes[host].name for host in own)
        imported.notes.assumed.append(f"{plural(len(own), 'host')} with several links: each link is a port, and a flow "
                                      f"keeps its ports: those of the fastest path, then of the shortest, then by hash "
                                      f"({names})")
    fastest = max((link.rate for link in imported.links
                   if imported.nodes[link.a].is_host or imported.nodes[link.b].is_host), default=0)
    nic = imported.settings.get("nic", {})
    if fastest > FAST and nic.get("payload") == "real" and "dma" not in nic:  # without real payload no DMA moves data
        rate = f"{-(-fastest * 5 // (4 * 10**9))}Gbps" if fastest * 5 // 4 < MOST_RATE else "10Tbps"
        nic["dma"] = {"rate": rate}
        imported.notes.assumed.append("the host interface (nic.dma.rate) is a quarter faster than the fastest host's "
                                      "link")


def _check_connected(imported, where):
    there = reached(imported.neighbours(), 0)
    if len(there) < len(imported.nodes):
        apart = next(number for number in range(len(imported.nodes)) if number not in there)
        raise InputError(f"{where}:1:1: the network is not connected: no way from {imported.nodes[0].origin} to "
                         f"{imported.nodes[apart].origin}")
    hosts = len(imported.hosts())
    if hosts < 2:
        raise InputError(f"{where}:1:1: {plural(hosts, 'host')}: a network has two at least")


def _needs_no_relay(imported, own):
    """True if any two hosts reach each other without a path through a third host."""
    if any(imported.nodes[host].passes for host in own):
        return False
    neighbours = imported.neighbours()
    # For each node the number of its connected component in the network of switches.
    part = [-1] * len(imported.nodes)
    for first, node in enumerate(imported.nodes):
        if node.is_host or part[first] >= 0:
            continue
        for other in reached(neighbours, first, lambda number: not imported.nodes[number].is_host):
            part[other] = first
    meetings = set()
    for host in imported.hosts():
        cables = (frozenset((host, other)) if imported.nodes[other].is_host else part[other]
                  for other in neighbours[host])
        meetings.add(frozenset(cables))
    if frozenset.intersection(*meetings):
        return True
    return all(not one.isdisjoint(other) for one in meetings for other in meetings)


def _add_switches(imported, own):
    no_switch = all(node.is_host for node in imported.nodes)
    taken = {node.name for node in imported.nodes}
    switch_of = {}
    for host in own:
        node = imported.nodes[host]
        switch_of[host] = len(imported.nodes)
        imported.nodes.append(Node(unique_name(node.name + "_ports", taken), False, f"ports of {node.origin}"))
        if not no_switch and not node.passes:
            imported.nodes[-1].forwards = False
    total = dict.fromkeys(own, 0)
    overhead = imported.links[0].overhead
    for end, link in imported.ends():
        if end in total:
            total[end] += link.rate
    for link in imported.links:
        link.a, link.b = switch_of.get(link.a, link.a), switch_of.get(link.b, link.b)
    for host in own:
        imported.links.append(Link(host, switch_of[host], min(total[host], MOST_RATE), 0, overhead=overhead))
    names = some(imported.nodes[host].name for host in own)
    imported.notes.assumed.append(f"{plural(len(own), 'host')} with several links or a host at the other end: a switch "
                                  f"of its own, NAME_ports, joins its links, and flows are spread over them by hash "
                                  f"({names})")
    if no_switch:
        imported.notes.assumed.append("a network without switches: hosts pass packets on by shortest ways "
                                      "(topology.kind 'torus' has rings and meshes with dimension order)")
