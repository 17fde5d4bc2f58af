"""Reads topology.txt of the HPCC authors' simulator, of astra-sim's ns-3 backend and of SimAI.

Like these programs, the reader goes by the counts in the file: any white space separates words, and text after the
counted items is ignored."""

import re

from dccvp.importers import ns3_quantities
from dccvp.importers.network import MOST_LINKS, MOST_NODES, Imported, Link, Node, plural, some
from dccvp.importers.source import Words, base_name


def is_topology(source):
    """True if a file looks like a topology: one of its words is a rate with a unit."""
    return re.search(r"(?<!\S)[0-9.]+([KkMGT]i?)?([bB]ps|[bB]/s)(?!\S)", source.text) is not None


def read_topology(source, loss_everywhere=0):
    """Reads a topology; returns (Imported with nodes and links, {id: index of the node}). `loss_everywhere` applies
    to links whose own error rate is 0."""
    words = Words(source)
    nodes = words.integer("the number of nodes", 1, MOST_NODES)
    second = words.next("the number of switches")
    third = words.next("the number of links")
    fourth = words.peek()
    header = [source.integer(second, "the number of switches", 0, nodes),
              source.integer(third, "the number of links", 0, MOST_LINKS)]
    gpu_type, nv_switches = "", 0
    if fourth is not None and _is_simai(source, fourth.at):
        nv_switches = header[1]
        header = [words.integer("the number of switches", 0, nodes),
                  words.integer("the number of links", 0, MOST_LINKS)]
        gpu_type = words.next("the type of the GPUs").text
    switch_count, link_count = header
    imported = Imported()
    is_switch = {}
    for number in range(nv_switches + switch_count):
        word = words.next(f"the id of switch {number + 1} of {nv_switches + switch_count}")
        ident = source.integer(word, "the id of a switch", 0, 2**32 - 1)
        if ident in is_switch:
            source.fail(word, f"switch {ident} is there twice")
        is_switch[ident] = "nvswitch" if number < nv_switches else "switch"
    found = _links(words, link_count, bool(gpu_type), imported.notes)
    index = _add_nodes(source, imported, nodes, is_switch, found)
    _add_links(imported, found, index, loss_everywhere)
    hosts, name = len(imported.hosts()), base_name(source.name)
    kind = f", GPUs of type {gpu_type}, {plural(nv_switches, 'NVSwitch', 'NVSwitches')}" if gpu_type else ""
    imported.notes.read.append(f"{name}: {plural(hosts, 'host')}, {len(imported.nodes) - hosts} switches, "
                               f"{plural(len(imported.links), 'link')}{kind}")
    rest = words.peek()
    if rest is not None:
        lines = source.text[rest.at:].rstrip().count("\n") + 1
        imported.notes.ignored.append(f"{name}, from line {source.line_of(rest.at)}: {plural(lines, 'line')} behind "
                                      f"the {plural(link_count, 'link')} that the first line announces")
    if gpu_type:
        imported.notes.not_expressed.append(f"the type {gpu_type} of the GPUs")
    return imported, index


def _is_simai(source, at):
    """True for SimAI's form: the first line has six words, the last of which is no number."""
    begin = source.text.lstrip()
    first = begin.split("\n", maxsplit=1)[0].split()
    return len(first) >= 6 and not first[5][0].isdigit() and source.line_of(at) == source.line_of(
        len(source.text) - len(begin))


def _links(words, count, may_be_fewer, notes):
    """Reads the links; returns [(word of A, A, B, rate, delay, loss)]."""
    source, found = words.source, []
    for number in range(count):
        if may_be_fewer and number and words.peek() is None:
            notes.ignored.append(f"{base_name(source.name)}: the first line announces {count} links, {number} are "
                                 "there")
            break
        what = f"link {number + 1} of {count}"
        at = words.next(what)
        a = source.integer(at, f"{what}, a node", 0, 2**32 - 1)
        b = words.integer(f"{what}, a node", 0, 2**32 - 1)
        if a == b:
            source.fail(at, f"{what} leads from node {a} to itself")
        rate = ns3_quantities.rate(source, words.next(f"{what}, its rate"), "a rate")
        delay = ns3_quantities.delay(source, words.next(f"{what}, its delay"), "a delay")
        loss = words.number(f"{what}, its error rate", 0, 1)
        found.append((at, a, b, rate, delay, loss))
    return found


def _add_nodes(source, imported, count, is_switch, found):
    """Adds hosts and switches in the order of their ids; returns {id: index}."""
    linked = {ident for _, a, b, *_ in found for ident in (a, b)}
    beyond = sorted(ident for ident in linked | set(is_switch) if ident >= count)
    if len(linked | set(is_switch)) > count:
        at = next((link[0] for link in found if max(link[1:3]) >= count), 0)
        source.fail(at, f"the first line announces {plural(count, 'node')}, the links and switches name "
                    f"{len(linked | set(is_switch))}")
    if beyond:
        imported.notes.assumed.append(f"ids need not be below the number of nodes, {count}: {some(beyond)}")
    alone = [ident for ident in range(count) if ident not in linked and ident not in is_switch] if not beyond else []
    alone += [ident for ident in is_switch if ident not in linked]
    if alone:
        imported.notes.ignored.append("nodes without a link: " + some(sorted(alone)))
    index = {}
    for ident in sorted(linked):
        kind = is_switch.get(ident)
        index[ident] = len(imported.nodes)
        name = {"switch": "s", "nvswitch": "nv", None: "h"}[kind] + str(ident)
        imported.nodes.append(Node(name, kind is None, str(ident)))
    return index


def _add_links(imported, found, index, loss_everywhere):
    last = {frozenset(link[1:3]): place for place, link in enumerate(found)}
    idle = []
    for place, (_, a, b, rate, delay, loss) in enumerate(found):
        if last[frozenset((a, b))] != place:
            idle.append(f"{a} {b}")
            continue
        imported.links.append(Link(index[a], index[b], rate, delay, loss or loss_everywhere, 0))
    if idle:
        imported.notes.ignored.append(f"{plural(len(idle), 'link')} between two nodes that a later link joins again, "
                                      f"as the original uses the last one: {some(idle)}")
