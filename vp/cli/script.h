// The parts of the program that are Python: started and waited for, or put in its place.
#pragma once

#include <string>
#include <vector>

namespace dcc::vp {

/// Why no tool can be run; empty: they can.
std::string why_no_tools();

/// Runs a tool of python/tool.py with /usr/bin/python3. Its standard output and error go to `log`,
/// or, when `log` is empty, where this program's go. Returns its exit status; -1 when it could not
/// be started or died.
int run_tool(const std::string& tool, const std::vector<std::string>& arguments,
             const std::string& log = "");

/// Puts a tool in this process's place: signals, exit status and all. Its first argument is this
/// program's path. Comes back, with the exit status to leave with and a sentence on standard error,
/// only where there is no /usr/bin/python3.
int become_tool(const std::string& tool, const std::vector<std::string>& arguments);

}  // namespace dcc::vp
