#!/bin/sh
# Builds programs and runs a command: build_and_run.sh BUILD_FOLDER TARGET... -- COMMAND...
set -eu
folder=$1
shift
targets=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  targets="$targets $1"
  shift
done
if [ -z "$targets" ] || [ $# -lt 2 ]; then
  echo "usage: build_and_run.sh BUILD_FOLDER TARGET... -- COMMAND..." >&2
  exit 2
fi
shift
# shellcheck disable=SC2086
cmake --build "$folder" --target $targets >"$folder/build_and_run.log" || { cat "$folder/build_and_run.log"; exit 1; }
exec "$@"
