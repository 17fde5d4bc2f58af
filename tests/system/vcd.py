"""Waveforms as lists of clock cycles, from what fst2vcd makes of an FST file."""

import subprocess


def cycles(fst, names):
    """One dict of integers (None: unknown) for each rising edge of the first name, as sampled there.

    Names are hierarchical, with dots; the scopes Verilator adds for itself are not left out.
    KeyError for a name that is not in the waveform.
    """
    text = subprocess.run(["fst2vcd", "-f", fst], capture_output=True, text=True, check=True).stdout
    head, changes = text.split("$enddefinitions $end", 1)
    scope, codes = [], {}
    for line in head.splitlines():
        word = line.split()
        if line.startswith("$scope"):
            scope.append(word[2])
        elif line.startswith("$upscope"):
            scope.pop()
        elif line.startswith("$var"):
            codes[".".join([*scope, word[4]])] = word[3]
    wanted = {name: codes[name] for name in names}
    clock = wanted[names[0]]
    now = dict.fromkeys(wanted.values())
    before, rows = dict(now), []
    for line in changes.splitlines():
        if line.startswith("#"):
            before = dict(now)
        elif line[:1] in "01xzb" and line:
            bits, code = (line[1:].split() if line[0] == "b" else (line[0], line[1:]))
            if code not in now:
                continue
            now[code] = int(bits, 2) if set(bits) <= {"0", "1"} else None
            if code == clock and now[code] == 1 and before[code] == 0:
                rows.append({name: before[c] for name, c in wanted.items()})
    return rows
