#!/bin/sh
# Checks that need no build: formatting, layers, generated files, words that do not belong.
set -eu
cd "$(dirname "$0")/.."
fail=0
for tool in clang-format clang-tidy flake8 mypy; do
  if ! command -v $tool >/dev/null; then
    echo "$tool is not installed: make deps-test"
    fail=1
  fi
done
# Outside a git checkout every search below would find nothing.
git ls-files --error-unmatch tests/run_checks.sh >/dev/null

# The slow tools run beside the rest; each one's output follows at the end.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
beside() {
  name=$1
  shift
  { "$@" >"$work/$name.said" 2>&1 || : >"$work/$name.failed"; } &
}

formatting() {
  # shellcheck disable=SC2046
  if ! said=$(clang-format --dry-run -Werror $(git ls-files '*.h' '*.cpp' '*.c' | grep -v generated | grep -v '_regs\.h$') 2>&1)
  then
    printf '%s\n' "$said" | sed -n 1,20p
    echo "formatting: run 'make format'"
    return 1
  fi
}

# clang-tidy where a mistake costs most and the code is plain, headers included: the controller, the NIC,
# the scheduler. They are read as one file, every header once. All of it, and what the analyser finds by
# following paths, takes minutes: run_tidy.sh, in `make test-full`.
tidy() {
  printf '#include "%s"\n' models/core/nic/*.cpp models/core/nic/host/*.cpp models/core/sim/*.cpp \
    models/core/controller/*.cpp >"$work/all.cpp"
  clang-tidy --quiet --config-file=.clang-tidy --checks='-clang-analyzer-*' "$work/all.cpp" -- \
    -std=c++17 -I. -Imodels/core -Isw 2>/dev/null
}

# All Python, and its types. A test may take what it looks for to be there: if it is not, it fails.
style() { git ls-files '*.py' | xargs flake8; }
types() { git ls-files '*.py' | grep -v '^tests/' | xargs mypy --no-error-summary --cache-dir=/dev/null; }
types_of_tests() { git ls-files 'tests/*.py' | xargs mypy --no-error-summary --cache-dir=/dev/null --no-strict-optional; }

for part in types_of_tests tidy types style formatting; do
  beside $part $part
done

# The core knows neither SystemC nor the layers above. (SystemC lies in /usr/include, so an include
# path cannot keep it out.)
if git grep -nE '#include *[<"](systemc|tlm|sysc/|yaml-cpp|fmt/|nlohmann)' -- models/core; then
  echo "models/core may not use that"
  fail=1
fi
# Includes go down, and no scheme is known to the rest.
tests/check_layers.py || fail=1
tests/check_layers_test.py 2>/dev/null || { echo "tests/check_layers_test.py fails"; fail=1; }
# Files that may become one source share no names.
tests/check_names.py || fail=1
tests/check_names_test.py 2>/dev/null || { echo "tests/check_names_test.py fails"; fail=1; }
# Shipped sources compile with every SystemC from 2.3.3 to 3.0.
tests/check_sockets.py || fail=1
tests/check_sockets_test.py 2>/dev/null || { echo "tests/check_sockets_test.py fails"; fail=1; }
tests/check_systemc_names.py || fail=1
tests/check_systemc_names_test.py 2>/dev/null || { echo "tests/check_systemc_names_test.py fails"; fail=1; }
# Nothing the hardware holds is a floating-point number. (What a configuration asks for becomes integers
# in dcc.cpp and in the laws' own parameter rules, before the hardware has it.)
if git grep -nE '\b(double|float)\b' -- models/core/controller models/core/registers |
  grep -vE '//|^models/core/controller/(dcc|law/[a-z]+)\.cpp:'; then
  echo "the controller may not use floating point"
  fail=1
fi
# Of the software it knows what hardware and driver share: how the NIC's descriptors lie in memory, and
# the registers, generated from the same source as its own.
if git grep -nE '#include "(driver|app)/' -- models/core |
  grep -vE '"driver/(nic_descriptors|dcc_regs|nic_regs)\.h"'; then
  echo "models/core may not use the driver"
  fail=1
fi
# Addresses of a host stand in rtl/regs/*.yaml and in what is generated from there. The cores of a NIC that run
# programs have an address space of their own.
if git grep -nE '0x(4000_?0000|4010_?0000|0[cC]00_?0000|0200_?0000|1000_?0000|1001_?0000)\b' -- \
  models vp sw firmware | grep -vE '^(sw/driver/(memory_map(_virt)?|[a-z]+_regs)\.h|.*/generated/|(sw|firmware)/program/)'; then
  echo "addresses come from rtl/regs/memory_map.yaml"
  fail=1
fi

# Each file around the models in SystemC has tests of its own, in a file of
# the same name. Nothing is excepted.
for file in $(git ls-files 'models/tlm/*.cpp'); do
  name=$(basename "$file" .cpp)
  if ! git ls-files --cached --others --exclude-standard tests | grep -qE "/${name}_test\.(cpp|py)$"; then
    echo "$file: no test of this name"
    fail=1
  fi
done

python/tool.py regtool --check || fail=1
# Every statement about the sources has its evidence.
python/tool.py sources-page --check || fail=1
wait
for part in formatting tidy style types types_of_tests; do
  cat "$work/$part.said"
  if [ -e "$work/$part.failed" ]; then
    echo "$part: failed"
    fail=1
  fi
done
if [ $fail -eq 0 ]; then echo "checks passed"; fi
exit $fail
