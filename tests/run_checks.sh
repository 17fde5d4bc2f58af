#!/bin/sh
# Runs the checks that need no build: formatting, layers, generated files, forbidden words.
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

# The slow tools run in parallel with the other checks. Their output follows at the end.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
beside() {
  name=$1
  shift
  { "$@" >"$work/$name.said" 2>&1 || : >"$work/$name.failed"; } &
}

formatting() {
  # shellcheck disable=SC2046
  if ! said=$(clang-format --dry-run -Werror $(git ls-files '*.h' '*.cpp' '*.c') 2>&1)
  then
    printf '%s\n' "$said" | sed -n 1,20p
    echo "formatting: run 'make format'"
    return 1
  fi
}

# Runs clang-tidy on the controller, the NIC and the scheduler with their headers. All sources are read as one file,
# so that each header is read once. run_tidy.sh (`make test-full`) checks all sources and follows paths, which takes
# minutes.
tidy() {
  printf '#include "%s"\n' models/core/nic/*.cpp models/core/nic/host/*.cpp models/core/sim/*.cpp \
    models/core/controller/*.cpp >"$work/all.cpp"
  python/tool.py regtool --code "$work/generated" >/dev/null
  clang-tidy --quiet --config-file=.clang-tidy --checks='-clang-analyzer-*' "$work/all.cpp" -- \
    -std=c++17 -I. -Imodels/core -Isw -I"$work/generated" 2>/dev/null
}

# Checks the style and the types of all Python code. Tests may assume that an optional value is present; if it is
# missing, the test fails.
style() { git ls-files '*.py' | xargs flake8; }
types() { git ls-files '*.py' | grep -v '^tests/' | xargs mypy --no-error-summary --cache-dir=/dev/null; }
types_of_tests() { git ls-files 'tests/*.py' | xargs mypy --no-error-summary --cache-dir=/dev/null --no-strict-optional; }

for part in types_of_tests tidy types style formatting; do
  beside $part $part
done

# The core must include neither SystemC nor headers of higher layers. (SystemC's headers are in /usr/include, so an
# include path cannot exclude them.)
if git grep -nE '#include *[<"](systemc|tlm|sysc/|yaml-cpp|fmt/|nlohmann)' -- models/core; then
  echo "models/core may not use that"
  fail=1
fi
# Includes must point to lower layers, and only schemes may name a scheme.
tests/check_layers.py || fail=1
tests/check_layers_test.py 2>/dev/null || { echo "tests/check_layers_test.py fails"; fail=1; }
tests/unchanged_test.py 2>/dev/null || { echo "tests/unchanged_test.py fails"; fail=1; }
# Files that may be compiled as one must not share names.
tests/check_names.py || fail=1
tests/check_names_test.py 2>/dev/null || { echo "tests/check_names_test.py fails"; fail=1; }
# Shipped sources must compile with every SystemC version from 2.3.3 to 3.0.
tests/check_sockets.py || fail=1
tests/check_sockets_test.py 2>/dev/null || { echo "tests/check_sockets_test.py fails"; fail=1; }
tests/check_systemc_names.py || fail=1
tests/check_systemc_names_test.py 2>/dev/null || { echo "tests/check_systemc_names_test.py fails"; fail=1; }
# Values of the hardware must not be floating-point numbers. (dcc.cpp and the parameter rules of the laws convert the
# configuration to integers.)
if git grep -nE '\b(double|float)\b' -- models/core/controller models/core/registers |
  grep -vE '//|^models/core/controller/(dcc|law/[a-z]+)\.cpp:'; then
  echo "the controller may not use floating point"
  fail=1
fi
# Of the software's headers the core may include only those that hardware and driver share: the memory layout of the
# NIC's descriptors, and the generated registers.
if git grep -nE '#include "(driver|app)/' -- models/core |
  grep -vE '"driver/(nic_descriptors|dcc_regs|nic_regs)\.h"'; then
  echo "models/core may not use the driver"
  fail=1
fi
# Addresses of a host's devices are defined in rtl/regs/*.yaml, and other sources must use the generated names. The
# cores of a NIC that run programs have an address space of their own.
if git grep -nE '0x(4000_?0000|4010_?0000|0[cC]00_?0000|0200_?0000|1000_?0000|1001_?0000)\b' -- \
  models vp sw firmware | grep -vE '^(sw|firmware)/program/'; then
  echo "addresses come from rtl/regs/memory_map.yaml"
  fail=1
fi

# Each source file in models/tlm must have a test file of the same name.
for file in $(git ls-files 'models/tlm/*.cpp'); do
  name=$(basename "$file" .cpp)
  if ! git ls-files --cached --others --exclude-standard tests | grep -qE "/${name}_test\.(cpp|py)$"; then
    echo "$file: no test of this name"
    fail=1
  fi
done

python/tool.py regtool --check || fail=1
# The lines that the controller's table of rules names move with every edit above them.
/usr/bin/python3 -B tests/cosim/controller/rule_map_test.py || fail=1
# Every line of docs/sources.yaml must have its evidence.
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
