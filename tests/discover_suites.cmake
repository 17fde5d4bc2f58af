# Lists the test suites of a GoogleTest program as ctest entries after the program was linked:
#   cmake -D PROGRAM=… -D LABELS=… -D EXCEPT=filter -D TIMEOUT=s -D OUT=file -P discover_suites.cmake
# An entry runs a suite and not a single test, because each start of a program under the sanitizers takes 0.15 s of
# processor time. For two thousand tests the starts would take longer than the tests.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests "--gtest_filter=-${EXCEPT}"
                OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${listing}")
set(suites)
foreach(line ${lines})
  if(line MATCHES "^([A-Za-z0-9_/]+)\\.")
    list(APPEND suites ${CMAKE_MATCH_1})
  endif()
endforeach()
if(NOT suites)
  message(FATAL_ERROR "${PROGRAM} lists no test")
endif()
list(REMOVE_DUPLICATES suites)
set(text)
foreach(suite ${suites})
  string(APPEND text "add_test([=[${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*-${EXCEPT}]=])\n"
    "set_tests_properties([=[${suite}]=] PROPERTIES LABELS [=[${LABELS}]=] TIMEOUT ${TIMEOUT}\n"
    "  FAIL_REGULAR_EXPRESSION [=[Running 0 tests]=])\n")
endforeach()
file(WRITE ${OUT} "${text}")
