#!/usr/bin/env python3
"""Checks that no shipped source uses a name that SystemC 2.3.3, 2.3.4 and 3.0 do not all have, or that 3.0 deprecates.

usage: check_systemc_names.py [ROOT]; exit status 1 and one line for each use. Only files that include SystemC or TLM
are read, without their comments.
"""
import re
import subprocess
import sys
from pathlib import Path

# Folders of source code that a user of the SDK gets or compiles.
SHIPPED = ("models", "vp", "sw", "sdk")

# Forbidden names as pairs of pattern and reason. Sources of the reasons: [R] release notes of SystemC 3.0.0, section
# 5. [T] issue 4805 of verilator/verilator, which lists names that 3.0.0 removed. [S] Intel's migration guide from
# 2.3.3 to 2.3.4. [D] names that headers and messages of 2.3.4 call deprecated, most since IEEE 1666-2005.
NAMES = (
    (r"\bsc_(?:set|get)_default_time_unit\b", "3.0 deprecates it [R]"),
    (r"\bsc_time\s*(?:\w+\s*)?[({][^,(){}]+,\s*(?:true|false)\s*[)}]", "3.0 deprecates sc_time(value, bool) [R]"),
    (r"\b(?:un)?register_simulation_phase_callback\b|\bsimulation_phase_callback\b",
     "3.0 has stage callbacks instead [T]"),
    (r"\b(?:add|remove)_trace_file\b", "3.0 keeps trace files to itself [T]"),
    (r"\bget_(?:port|export)_base\b", "2.3.4 renamed it get_base_port, get_base_export [S]"),
    (r"\bsc_simulation_time\b|\bsc_cycle\b|\bsc_initialize\b", "deprecated: sc_time_stamp, sc_start [D]"),
    (r"\bsc_start\s*\(\s*[\d.]+\s*\)", "deprecated: a time needs a unit [D]"),
    (r"\bnotify_delayed\b", "deprecated: notify(SC_ZERO_TIME) [D]"),
    (r"\bsc_get_curr_process_handle\b", "deprecated: sc_get_current_process_handle [D]"),
    (r"\bsc_get_curr_simcontext\b|\bsc_simcontext\b", "not of the standard [D]"),
    (r"\bsc_bit\b|\bsc_string_old\b", "deprecated: bool, std::string [D]"),
    (r"\bwait_until\s*\(|\bwatching\s*\(|\bend_module\b", "deprecated since IEEE 1666-2005 [D]"),
    (r"\bget_data_ref\b|\bget_new_value\b|\bsc_signal_out\b|\badd_trace\b", "deprecated: read(), sc_trace [D]"),
    (r"\bsensitive_(?:pos|neg)\b", "deprecated: sensitive << port.pos() [D]"),
)
# SC_HAS_PROCESS is allowed although 3.0 deprecates it [R], because 2.3 does not compile a process without it.

USES_SYSTEMC = re.compile(
    r'#\s*include\s*[<"](?:systemc(?:\.h)?|sysc/|tlm(?:\.h)?[>"]|tlm_)|\bsc_(?:core|dt)\b|\btlm(?:_utils)?::')
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def uses(text):
    """Yields (line, name, reason) for each use of a forbidden name in the text of a file."""
    if not USES_SYSTEMC.search(text):
        return []
    code = COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)
    found = [(code.count("\n", 0, use.start()) + 1, " ".join(use.group().split()), reason)
             for pattern, reason in NAMES for use in re.finditer(pattern, code)]
    return sorted(found)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    globs = [f"{folder}/*.{kind}" for folder in SHIPPED for kind in ("h", "cpp")]
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *globs], cwd=root,
                           check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    texts = {file: (root / file).read_text(encoding="utf-8") for file in files if (root / file).is_file()}
    if not any(USES_SYSTEMC.search(text) for text in texts.values()):
        print(f"{root}: no shipped file includes SystemC")
        return 1
    found = [(file, *use) for file, text in sorted(texts.items()) for use in uses(text)]
    for file, line, name, reason in found:
        print(f"{file}:{line}: {name}: {reason}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
