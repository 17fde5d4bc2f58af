#!/bin/sh
# Runs the unit tests, the tests of configurations and the coverage-guided targets under the address and
# undefined-behaviour sanitizers. With --full it also checks every pointer (DCCVP_SANITIZE_ACCESSES), and runs
# shortened shipped configurations, whose results must equal those of the release build byte for byte although another
# compiler made it. Compiling the whole program for this takes two minutes.
set -eu
full=
accesses=OFF
case "$#:${1-}" in
  0:) ;;
  1:--full) full=dccvp accesses=ON ;;
  *) echo "usage: run_sanitized.sh [--full]" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
cmake --preset sanitize -DDCCVP_TESTS=ON -DDCCVP_SANITIZE_ACCESSES=$accesses >/dev/null
# shellcheck disable=SC2086
ninja -C build-sanitize sanitized_tests guided $full
# A run without --full uses fewer random texts for the reader, since a coverage-guided target tests the reader too.
[ -n "$full" ] || export DCC_FUZZ_ROUNDS=3000
ctest --test-dir build-sanitize -L 'unit|config|guided' -j "$(nproc)" --output-on-failure
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
