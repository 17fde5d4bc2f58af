#!/bin/sh
# Prints what `make test` left out: checks whose inputs have not changed since they last passed, and the long
# campaigns of `make test-full`. Usage: say_skipped.sh BUILD_FOLDER
set -eu
[ $# -eq 1 ] || { echo "usage: say_skipped.sh BUILD_FOLDER" >&2; exit 2; }
log=$1/Testing/Temporary/LastTest.log
unchanged=$(sed -n 's/^\([A-Za-z0-9_.]*\): skipped, its inputs are those.*/\1/p' "$log" | sort -u | tr '\n' ' ')
echo "Not run, inputs unchanged since the last pass (tests/evidence.json): ${unchanged:-none}"
full=$(ctest --test-dir "$1" -N -L full | sed -n 's/^ *Test *#[0-9]*: //p')
echo "Not run, left to 'make test-full' ($(echo "$full" | wc -l) tests, and unit tests in the optimised build):" \
  "$(echo "$full" | tr '\n' ' ')"
