#!/bin/sh
# Runs a program made for the thread sanitizer; exit 77 where that cannot start.
starts() { "$@" --gtest_list_tests >/dev/null 2>&1; }
starts "$1" && exec "$1"
starts setarch -R "$1" && exec setarch -R "$1"
echo "the thread sanitizer does not start on this kernel"
exit 77
