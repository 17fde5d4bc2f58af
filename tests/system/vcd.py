"""Reads waveforms as lists of clock cycles, from the output of fst2vcd for an FST file."""

import subprocess


def cycles(fst, names):
    """Returns one dict of integers (None: unknown value) for each rising edge of the first name.

    The values are those sampled at the edge. Names are hierarchical with dots, and include the scopes that
    Verilator adds. Raises KeyError for a name that is not in the waveform.
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
