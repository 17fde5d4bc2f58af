#!/bin/sh
# replay_test.sh WHEEL_REPLAY WHEEL_ENGINE_TEST: replays the recording of a detected fault and expects the same fault.
set -eu
replay=$1
engine_test=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

DCC_WHEEL_RECORDING=$dir/fault.log "$engine_test" --gtest_filter='All/WheelFaults.*/1' >"$dir/out" ||
  { cat "$dir/out"; exit 1; }
status=0
"$replay" "$dir/fault.log" --fst "$dir/wheel.fst" >"$dir/out" || status=$?
cat "$dir/out"
[ "$status" = 1 ] || { echo "replay ended with $status, not 1"; exit 1; }
grep -q 'model and RTL differ' "$dir/out"
[ -s "$dir/wheel.fst" ]

# Replaying the same calls without the fault shows no difference.
sed -i '1s/fault [0-9]*/fault 0/' "$dir/fault.log"
"$replay" "$dir/fault.log"

# The replay program refuses an invalid recording with the line of the error.
printf 'start 1 2\n' >>"$dir/fault.log"
status=0
"$replay" "$dir/fault.log" 2>"$dir/err" || status=$?
[ "$status" = 2 ] && grep -q 'fault.log:[0-9]*: a call needs' "$dir/err"
