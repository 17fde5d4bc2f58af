#!/usr/bin/env python3
"""Checks that the tests connect the checker of TLM-2.0's base protocol to every socket of the models and the
platform.

usage: check_sockets.py [ROOT [-v]]; exit status 1 and one line for each class whose sockets are not checked. A class
counts as checked if a file of tests/ that includes base_protocol.h constructs an object of the class. If no test
constructs an object of a base class, such as WordTarget, every derived class must be checked instead. Packet sockets
have a protocol of their own (models/tlm/packet_socket.h) and are not checked.
"""
import re
import sys
from pathlib import Path

SOCKET = re.compile(r"\btlm(?:_utils)?::\w*(?:target|initiator)_socket(?:_\w+)?<\s*(\w+)[^;]*>\s*\w+\s*[;{]")
CLASS = re.compile(r"^(?:class|struct)\s+(\w+)[^;{]*\{", re.M)
INHERITS = re.compile(r"^(?:class|struct)\s+(\w+)[^;{]*?:\s[^;{]*?\bpublic\s+(\w+)", re.M)


def owners(text):
    """Names of the classes in one header that own a TLM socket for the generic payload."""
    found = set()
    for socket in SOCKET.finditer(text):
        before = [match.group(1) for match in CLASS.finditer(text, 0, socket.start())]
        found.add(socket.group(1) if not socket.group(1).isdigit() else before[-1])
    return found


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    headers = [path.read_text(encoding="utf-8") for folder in ("models/tlm", "vp")
               for path in sorted((root / folder).rglob("*.h"))]
    with_socket = set().union(*(owners(text) for text in headers))
    heirs = {}
    for text in headers:
        for heir, base in INHERITS.findall(text):
            if base in with_socket:
                heirs.setdefault(base, set()).add(heir)
    texts = (path.read_text(encoding="utf-8") for path in sorted((root / "tests").rglob("*.cpp")))
    tests = "\n".join(text for text in texts if re.search(r'#include "(?:\w+/)*base_protocol\.h"', text))

    def is_tested(name):
        return re.search(rf"\b{name}\s+\w+\s*[({{\"]", tests) is not None

    needed = set()
    for name in with_socket:
        needed |= {name} if is_tested(name) else heirs.get(name, {name})
    if not needed:
        print(f"{root}: no class has a socket")
        return 1
    missing = sorted(name for name in needed if not is_tested(name))
    for name in missing:
        print(f"{name}: no test puts the checker of tests/model/base_protocol.h at its socket")
    if not missing and "-v" in sys.argv:
        print(" ".join(sorted(needed)))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
