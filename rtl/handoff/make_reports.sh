#!/bin/sh
# make_reports.sh BUILD_DIR [NAME ...]: writes the long reports of the hand-off package to
# BUILD_DIR/reports/NAME.txt. NAME: mutation, controller, formal, synthesis, timing or coverage (all without a NAME;
# two at a time, an hour on two cores).
#
# A report that is newer than all files of rtl/ is kept. A report appears only when its command has succeeded.
set -eu
[ $# -ge 1 ] && [ -d "$1" ] || { echo "usage: make_reports.sh BUILD_DIR [NAME ...]" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- mutation controller formal synthesis timing coverage
if [ $# -gt 1 ]; then
  printf '%s\n' "$@" | xargs -P 2 -n 1 sh "$0" "$build"
  exit
fi
mkdir -p "$build/reports"

formal() {
  status=0
  echo "Wheel of four timers and 16 ticks; rate unit with free tables. 'proved': for all time, by pdr;"
  echo "'bounded': no counterexample as deep as stated, nothing more; 'false': wanted for the false_ ones."
  "$root/rtl/formal/run.py" || status=$?
  echo
  echo "Rate unit, each stage against the definition of its arithmetic:"
  "$root/rtl/formal/rate_stages.py" || status=$?
  echo
  echo "Clock gates: no register behind a clock that stands still would change."
  "$root/rtl/formal/standstill.py" || status=$?
  echo
  echo "Register block: every property proved, every known-false one refuted."
  "$root/rtl/regs/formal/run.py" || status=$?
  return $status
}
coverage() {
  # The caller ignores the script's exit status, so the script keeps each command's status.
  status=0
  rm -rf "$build/coverage_wheel" "$build/coverage_rate"
  echo "Timing wheel under its bench, line, branch and toggle, the points of all instances summed:"
  "$root/rtl/mutation/cover.py" --out "$build/coverage_wheel" || status=$?
  echo "Lines not hit:"
  sed 's/^/  /' "$build/coverage_wheel/lines.txt"
  echo "Toggle points not hit: $(wc -l <"$build/coverage_wheel/toggles.txt"), by signal:"
  sed 's/.*: *//; s/\[.*//; s/:.*//' "$build/coverage_wheel/toggles.txt" | sort | uniq -c | sort -rn |
    sed 's/^/  /'
  echo
  echo "Rate unit under its bench, likewise:"
  "$root/rtl/mutation/cover.py" --unit rate --out "$build/coverage_rate" --amount 60 || status=$?
  echo "Branches not hit:"
  sed 's/^/  /' "$build/coverage_rate/branches.txt"
  echo
  echo "Functional coverage (level x wrap x cascade x cancel x back-pressure), every bin asked for:"
  "$build/dccvp" cosim --ops 3000000 --full-coverage || status=$?
  return $status
}
mutation() {
  "$root/rtl/mutation/run.py" --build "$build/tests/cosim/wheel/mutation" --report "$1"
  "$root/rtl/mutation/run.py" --unit rate --build "$build/tests/cosim/rate_lut/mutation" --report "$1.rate"
  { echo; echo "Rate unit:"; cat "$1.rate"; } >>"$1"
  rm "$1.rate"
}
# Makes the report on the whole block, which takes twenty minutes of a core; an interrupted run continues.
controller() {
  status=0
  echo "Manager's modules under the whole block's bench, 22 profiles of 20 000 cycles; lines, branches, toggles, and"
  echo "how often each cover property of the assertions was hit:"
  "$root/rtl/controller/bench.py" coverage --build "$build/controller_coverage" --cycles 20000 || status=$?
  echo
  echo "Mutants of the manager's modules, the same profiles; then of what survives, longer:"
  for cycles in 20000 150000; do
    "$root/rtl/controller/bench.py" mutation --build "$build/controller_mutation" --cycles $cycles &&
      return $status
  done
  return 1
}

for name; do
  report=$build/reports/$name.txt
  if [ -f "$report" ] && [ -z "$(find "$root/rtl" -type f -newer "$report" -print -quit)" ]; then
    echo "$name: up to date"
    continue
  fi
  echo "$name: being made"
  rm -f "$report" "$report.new"
  case $name in
    synthesis) "$root/rtl/synth/run.py" --out "$report.new" ;;
    timing) "$root/rtl/synth/timing.py" --out "$report.new" ;;
    mutation) mutation "$report.new" ;;
    coverage) coverage >"$report.new" || { cat "$report.new"; exit 1; } ;;
    controller) controller >"$report.new" || { cat "$report.new"; exit 1; } ;;
    formal) formal >"$report.new" || { cat "$report.new"; exit 1; } ;;
    *) echo "make_reports.sh: no report '$name'" >&2; exit 2 ;;
  esac
  mv "$report.new" "$report"
done
