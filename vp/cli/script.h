// Runs the Python tools of the program, in a child process or in place of this process.
#pragma once

#include <CLI/CLI.hpp>
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

/// Lets the Python tool of the command's name carry out a command: behind the command line, which
/// the command's options have checked, this process is replaced by the tool, including signals and
/// exit status. The tool gets the given options, and this program's path as the first of the
/// positional arguments. If /usr/bin/python3 is missing, the command prints a sentence on standard
/// error.
void hand_to_tool(CLI::App& command, int& status);

}  // namespace dcc::vp
