"""Writes the files of an import: network.yaml, traffic files, names.csv, import.md."""

import csv
import io
import pathlib
import re
import shutil
import subprocess
import tempfile

import yaml

from dccvp.common.ending import InputError
from dccvp.common.text_table import markdown
from dccvp.importers.network import decimal, plural, rate_text, seconds_text, time_text
from dccvp.importers.wiring import fit

CONFIG, PAGE, NAMES = "network.yaml", "import.md", "names.csv"
DSCP_OF = [0, 8, 16, 24, 32, 40, 50, 56]  # DSCP of each priority; 48 is the DSCP of CNPs


def prepare(imported, where):
    """Completes `imported` and returns the YAML document, a dict in the order of the page."""
    fit(imported, where)
    document: dict = {}
    settings = dict(imported.settings)
    traffic, dscp = list(imported.traffic), dict(settings.pop("dscp", {}))
    for name, flows in imported.flows.items():
        if not flows:
            continue
        entry = {"kind": "trace", "file": name}
        if imported.awaited:
            entry["id"] = name.partition(".")[0]
        if imported.time_offset:
            entry["time_offset"] = time_text(imported.time_offset)
        used = sorted({flow.priority for flow in flows})
        if used != [0]:
            entry["dscp_map"] = {priority: DSCP_OF[priority] for priority in used}
            for priority in used:
                dscp.setdefault(DSCP_OF[priority], {"priority": priority})
        traffic.append(entry)
    duration = settings.pop("duration", None)
    if duration is None and (imported.flows or imported.lasts):
        duration = _duration(imported)
    if duration:
        document["duration"] = duration
    if imported.nodes:
        document["topology"] = _topology(imported)
        document["host"] = {"driver": "none"}
    document.update(settings)
    if dscp:
        document["dscp"] = dscp
    if traffic:
        document["traffic"] = traffic
    faults = _losses(imported) + [_at_port(imported, fault) for fault in imported.faults]
    if faults:
        document["faults"] = faults
    return document


def _duration(imported):
    """Returns the duration of the run, in which the busiest host could send and receive twice the bytes of its
    flows, plus 10 ms."""
    rate = {}
    for end, link in imported.ends():
        rate[end] = rate.get(end, 0) + link.rate
    busy, last = {}, 0
    for flows in imported.flows.values():
        for flow in flows:
            last = max(last, flow.start - imported.time_offset)
            for end in ((flow.source, 0), (flow.target, 1)):
                busy[end] = busy.get(end, 0) + flow.bytes * 8
    longest = max((bits * 10**12 // rate.get(end, 10**11) for (end, _), bits in busy.items()), default=0)
    duration = min(max(last + 2 * longest, 2 * imported.lasts) + 10**10, 10**15)
    duration = -(-duration // 10**9) * 10**9
    imported.notes.assumed.append(f"a duration of {time_text(duration)}: the last start, twice the time that an idle "
                                  "network needs, and 10 ms")
    return time_text(duration)


def _topology(imported):
    if imported.shape:
        return imported.shape
    nodes = []
    for node in imported.nodes:
        entry = {"name": node.name} if node.is_host else {"name": node.name, "kind": "switch"}
        if not node.forwards:
            entry["forwards"] = False
        nodes.append(entry)
    links = []
    for link in imported.links:
        entry = {"from": imported.nodes[link.a].name, "to": imported.nodes[link.b].name,
                 "rate": rate_text(link.rate), "delay": time_text(link.delay)}
        if link.overhead != 20:
            entry["overhead"] = f"{link.overhead}B"
        links.append(entry)
    return {"kind": "custom", "nodes": nodes, "links": links}


def _ends(imported):
    """Returns the names of the two ends of each link: the node's name, or the port's name for a host with several
    links."""
    degree = [len(others) for others in imported.neighbours()]
    used = [0] * len(imported.nodes)
    names = []
    for link in imported.links:
        pair = []
        for end in (link.a, link.b):
            node = imported.nodes[end]
            pair.append(f"{node.name}.{used[end]}" if node.is_host and degree[end] > 1 else node.name)
            used[end] += 1
        names.append(pair)
    return names


def _at_port(imported, fault):
    """Returns the fault with port names for hosts that have several links."""
    for between in ("--", "->"):
        first, found, second = fault.get("link", "").partition(between)
        for link, (a, b) in zip(imported.links, _ends(imported)) if found else ():
            names = {imported.nodes[link.a].name: a, imported.nodes[link.b].name: b}
            if {first, second} == set(names):
                return {**fault, "link": names[first] + between + names[second]}
    return fault


def _losses(imported):
    """Returns packet losses of links as faults of both directions."""
    faults, cables = [], {}
    for link, (a, b) in zip(imported.links, _ends(imported)):
        pair = frozenset((a, b))
        number = cables[pair] = cables.get(pair, -1) + 1
        if not link.loss:
            continue
        suffix = f"#{number}" if number else ""
        for one, other in ((a, b), (b, a)):
            faults.append({"kind": "loss", "link": f"{one}->{other}{suffix}", "probability": decimal(link.loss)})
    return faults


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """A YAML dumper that writes numbers held as text without quotes."""


def _plain(dumper, text):
    whole = re.fullmatch(r"0|[1-9][0-9]*", text)
    kind = "int" if whole else "float" if re.fullmatch(r"[0-9]+\.[0-9]+", text) else "str"
    return dumper.represent_scalar("tag:yaml.org,2002:" + kind, text)


_Dumper.add_representer(str, _plain)


def yaml_text(document, head):
    text = yaml.dump(document, Dumper=_Dumper, default_flow_style=None, sort_keys=False, width=110, allow_unicode=True)
    return "".join(f"# {line}\n" for line in head) + text


def flow_text(imported, flows):
    numbers = imported.host_numbers()
    awaited = {name for f in flows for name, _ in f.after} | imported.awaited
    rows = []
    for f in flows:
        if f.computes is None:
            row = f"{numbers[f.source]} {numbers[f.target]} {f.priority} {f.port} {f.bytes} {seconds_text(f.start)}"
        else:
            row = f"compute {numbers[f.source]} {time_text(f.computes)}"
            row += f" processor={f.processor}" if f.processor else ""
        if f.name in awaited:
            row += f" id={f.name}"
        if f.after:
            row += " after=" + ",".join(name + (":sent" if sent else "") for name, sent in f.after)
            row += f" delay={time_text(f.delay)}" if f.delay else ""
        rows.append(row + "\n")
    return f"{len(flows)}\n" + "".join(rows)


def names_text(imported):
    """Returns the text of names.csv: host,name,origin of each host; hosts have their numbers of flows.csv."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("host", "name", "origin"))
    for number, index in enumerate(imported.hosts()):
        writer.writerow((number, imported.nodes[index].name, imported.nodes[index].origin))
    return text.getvalue()


def page_text(imported, title):
    text = f"# {title}\n"
    for name, sentences in imported.notes.sections():
        if sentences:
            text += f"\n## {name}\n" + "".join(f"- {sentence}\n" for sentence in sentences)
    for heading, head, rows in imported.tables:
        text += f"\n## {heading}\n" + "\n".join(markdown(head, rows)) + "\n"
    return text


def refuse_folder(folder, force):
    """Raises InputError for a folder that must not be replaced."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"'{folder}' is no folder")
    if not any(folder.iterdir()):
        return
    ours = (folder / PAGE).is_file() and (folder / CONFIG).is_file()
    if not force or not ours:
        raise InputError(f"'{folder}' is not empty" + (": --force replaces the files of an earlier import" if ours else
                                                       " and not an import's"))


def write(imported, folder, words, program=None, force=False, where="input"):
    """Writes an import into a folder, completely or not at all. `words`: the command, for the heads of the files.
    `program`: the path of dccvp, which first checks the configuration. Returns the text to print."""
    folder = pathlib.Path(folder)
    refuse_folder(folder, force)
    document = prepare(imported, where)
    head = [f"Made by: dccvp {words}", f"{PAGE} beside this file lists what was read, ignored and assumed."]
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix=".import-", dir=folder.parent))
    try:
        for name, flows in imported.flows.items():
            if flows:
                (scratch / name).write_text(flow_text(imported, flows), encoding="utf-8")
        for name, text in imported.files.items():
            (scratch / name).write_text(text, encoding="utf-8")
        if imported.nodes:
            (scratch / NAMES).write_text(names_text(imported), encoding="utf-8")
        if imported.part:
            part = {key: document.pop(key) for key in list(document) if key not in ("topology", "host", "switches")}
            part = {key: dict(value) if isinstance(value, dict) else value for key, value in part.items()}
            # DMA settings apply only to the hosts of this network, so the included part leaves these settings out.
            dma = part.get("nic", {}).pop("dma", None)
            if dma:
                document["nic"] = {"dma": dma}
                if not part["nic"]:
                    del part["nic"]
            if part:
                (scratch / imported.part).write_text(yaml_text(part, head), encoding="utf-8")
                document = {"include": [imported.part], **document}
        (scratch / CONFIG).write_text(yaml_text(document, head), encoding="utf-8")
        said = _checked(program, scratch, folder, where) if program else ""
        (scratch / PAGE).write_text(page_text(imported, f"dccvp {words}"), encoding="utf-8")
        scratch.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        scratch.rename(folder)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    return said


def _checked(program, scratch, folder, where):
    done = subprocess.run([program, "check", str(scratch / CONFIG)], capture_output=True, encoding="utf-8",
                          errors="replace", check=False)
    said = (done.stdout + done.stderr).strip().replace(str(scratch), str(folder))
    if done.returncode:
        raise InputError(f"{where}:1:1: what was read makes no platform: {said.removeprefix('dccvp: ')}")
    return said


def summary(imported, folder):
    """Returns a summary of the import for the user."""
    text = ""
    for name, sentences in imported.notes.sections():
        for place, sentence in enumerate(sentences):
            text += f"{name + ':' if place == 0 else '':<15}{sentence}\n"
    count = sum(flow.computes is None for flows in imported.flows.values() for flow in flows)
    made = ", ".join(([plural(len(imported.hosts()), 'host')] if imported.nodes else []) +
                     ([plural(count, 'flow')] if count else []))
    return text + f"{folder}/{CONFIG}" + (f" ({made})" if made else "") + "\n"
