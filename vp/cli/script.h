// Runs the Python tools of the program, in a child process or in place of this process.
#pragma once

#include <string>
#include <vector>

namespace dcc::vp {

/// Returns the reason why Python tools cannot run; empty if they can run.
std::string why_no_tools();

/// Runs a tool of python/tool.py with /usr/bin/python3. Standard output and error go to `log`, or
/// to this program's if `log` is empty. Returns the exit status; -1 if the tool could not be
/// started or was killed.
int run_tool(const std::string& tool, const std::vector<std::string>& arguments,
             const std::string& log = "");

/// Replaces this process by a tool, including signals and exit status. The tool's first argument is
/// this program's path. Returns only if /usr/bin/python3 is missing: prints a sentence on standard
/// error and returns the exit status to use.
int become_tool(const std::string& tool, const std::vector<std::string>& arguments);

}  // namespace dcc::vp
