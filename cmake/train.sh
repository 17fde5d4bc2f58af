#!/bin/sh
# Training runs for `make fast`. Usage: train.sh BUILD [check]
# Each run covers many packets: three algorithms in the 320-host tree, the controller in an incast.
# The counts go beside the object files of BUILD, the results to BUILD/training. With `check`, the
# runs are repeated and must leave the same bytes.
set -eu
build=$(realpath "$1")
folder=$build/training
[ "${2:-}" = check ] && folder=$build/training-check || find "$build" -name '*.gcda' -delete
cd "$(dirname "$0")/.."

run() {  # Usage: run CONFIG DURATION OPTION...
  name=$(basename "$1" .yaml)
  config=$1 duration=$2
  shift 2
  echo "$name, $duration"
  "$build"/dccvp run "$config" -c duration="$duration" "$@" \
    --out "$folder/$name" --force --quiet --no-plots
  if [ "${folder%-check}" != "$folder" ]; then
    cmp "$folder/$name/flows.csv" "$build/training/$name/flows.csv"
    for result in training training-check; do
      tests/system/strip_wall_clock.py "$build/$result/$name/metrics.json" >"$build/$result/$name.json"
    done
    cmp "$folder/$name.json" "$build/training/$name.json"
  fi
}

run configs/reproduce/fbhadoop_hpcc.yaml 1ms
run configs/reproduce/fbhadoop_dcqcn.yaml 1ms
run configs/reproduce/fbhadoop_dctcp.yaml 1ms
run configs/incast_32x100g.yaml 1ms -c 'measure={from: 0s, to: 1ms}'
