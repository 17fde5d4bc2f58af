#!/bin/sh
# Runs tests under the address and undefined-behaviour sanitizers: 'models' are the unit tests of core and schemes,
# 'readers' the tests of configurations and diagnoses and the coverage-guided targets. Without an argument both run.
# With --full they also check every pointer (DCCVP_SANITIZE_ACCESSES), and shortened shipped configurations run, whose
# results must equal those of the release build byte for byte although another compiler made it. Compiling the whole
# program for this takes two minutes.
set -eu
full=
accesses=OFF
targets="sanitized_models sanitized_readers" labels='unit|config|guided'
case "$#:${1-}" in
  0:) ;;
  1:models) targets=sanitized_models labels=unit ;;
  1:readers) targets=sanitized_readers labels='config|guided' ;;
  1:--full) full=dccvp accesses=ON ;;
  *) echo "usage: run_sanitized.sh [models | readers | --full]" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
cmake --preset sanitize -DDCCVP_TESTS=ON -DDCCVP_SANITIZE_ACCESSES=$accesses >/dev/null
# shellcheck disable=SC2086
ninja -C build-sanitize $targets $full
# A run without --full uses fewer random texts for the reader, since a coverage-guided target tests the reader too.
[ -n "$full" ] || export DCC_FUZZ_ROUNDS=3000
ctest --test-dir build-sanitize -L "$labels" -j "$(nproc)" --output-on-failure
[ -n "$full" ] || exit 0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
status=0
for config in demo incast_8x25g thousand_flows table_full rdma_write reproduce/fbhadoop_hpcc; do
  case $config in
    rdma_write) limits="" ;;
    reproduce/*) limits="-c duration=200us --threads 2" ;;
    *) limits="-c duration=3ms -c measure.from=1ms -c measure.to=3ms -c expect=[]" ;;
  esac
  for build in build build-sanitize; do
    # shellcheck disable=SC2086
    $build/dccvp run configs/$config.yaml $limits --no-plots --quiet --out "$out/$build-$config" >/dev/null
    /usr/bin/python3 tests/system/strip_wall_clock.py "$out/$build-$config/metrics.json" >"$out/$build-$config.json"
  done
  if cmp "$out/build-$config.json" "$out/build-sanitize-$config.json"; then
    echo "sanitized $config: same as release"
  else
    status=1
  fi
done
exit $status
