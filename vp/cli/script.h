// The parts of the program that are Python: started, waited for.
#pragma once

#include <string>
#include <vector>

namespace dcc::vp {

/// Runs a script with /usr/bin/python3. Its standard output and error go to `log`, or, when `log`
/// is empty, where this program's go. Returns its exit status; -1 when it could not be started or
/// died.
int run_script(const std::string& script, const std::vector<std::string>& arguments,
               const std::string& log = "");

}  // namespace dcc::vp
