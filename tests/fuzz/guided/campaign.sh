#!/bin/sh
# Runs a long campaign of one coverage-guided target: 10^7 executions or one hour of processor time, whichever comes
# first. The script keeps interesting inputs and its progress, and continues where it stopped. Usage: campaign.sh
# BUILD TARGET [EXECUTIONS [SECONDS]]
# Exit status: 0 done without a finding, 1 a finding (the script prints its input), 2 bad arguments.
set -eu
build=${1:?usage: campaign.sh BUILD TARGET [EXECUTIONS [SECONDS]]}
target=${2:?usage: campaign.sh BUILD TARGET [EXECUTIONS [SECONDS]]}
executions=${3:-10000000}
seconds=${4:-3600}
here=$(cd "$(dirname "$0")" && pwd)
program=$build/tests/fuzz/guided/$target
[ -x "$program" ] || program=$here/$target.py
[ -x "$program" ] || { echo "campaign: no $target; build it first" >&2; exit 2; }
state=$build/campaign/$target
mkdir -p "$state/corpus"
done_runs=0
done_seconds=0
# shellcheck disable=SC1091
[ ! -f "$state/progress" ] || . "$state/progress"
extra=
[ "$target" != fuzz_config ] || extra="$here/../../../configs $build/tests/fuzz/guided/bad_configs"
length=$(sed -n "s/.*NAME $target RUNS [0-9]* LENGTH \([0-9]*\).*/\1/p" "$here/CMakeLists.txt")
earlier=$done_seconds
# Processor time in seconds of all commands of this shell. On a busy machine it grows more slowly than the clock.
processor_seconds() {
  times >"$state/times"
  sed -n 2p "$state/times" | tr 'ms' '  ' | awk '{ printf "%d\n", $1 * 60 + $2 + $3 * 60 + $4 }'
}
# Options that cost more time than they are worth in a long campaign are switched off: libFuzzer's weighting of the
# corpus by rare features (up to two thirds of the processor time), long stack traces of allocations, and a large
# quarantine of freed memory.
export ASAN_OPTIONS="malloc_context_size=2:quarantine_size_mb=16${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
weigh=-entropic=0
case $program in *.py) weigh= ;; esac
while [ "$done_runs" -lt "$executions" ] && [ "$done_seconds" -lt "$seconds" ]; do
  # The campaign runs in pieces, so that an interruption loses little. Each piece first reads the known inputs.
  piece=300
  [ $((seconds - done_seconds)) -ge $piece ] || piece=$((seconds - done_seconds))
  # shellcheck disable=SC2086
  if ! "$program" -seed=$((done_runs + 1)) -runs=$((executions - done_runs)) \
    $weigh -max_total_time="$piece" -max_len="$length" -timeout=60 -print_final_stats=1 \
    -artifact_prefix="$state/finding-" "$state/corpus" "$here/corpus/$target" $extra \
    >"$state/log" 2>&1; then
    tail -40 "$state/log"
    echo "$target: a finding after $done_runs executions: $(ls "$state"/finding-*)"
    exit 1
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$state/log")
  done_runs=$((done_runs + runs))
  processor_seconds >"$state/spent"
  done_seconds=$((earlier + $(cat "$state/spent")))
  printf 'done_runs=%s\ndone_seconds=%s\n' "$done_runs" "$done_seconds" >"$state/progress"
  covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$state/log" | tail -1)
  echo "$target: $done_runs executions, $done_seconds s, coverage ${covered:-?} edges, no finding"
done
