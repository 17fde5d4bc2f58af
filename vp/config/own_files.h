// Finds the tools and data files that belong to this program.
#pragma once

#include <filesystem>
#include <string>

namespace dcc::vp {

/// Returns a file or folder by its path in the source tree: near the running program, in its build
/// tree or its installation prefix (both may be moved); otherwise in the source tree from which the
/// program was built.
std::filesystem::path own_file(const std::string& path);

/// Returns the path of the running program, also if /proc is not mounted.
std::filesystem::path this_program();

/// Returns the path of a helper program that is built or installed with this program and is not on
/// the shell's search path.
std::filesystem::path own_program(const std::string& name);

}  // namespace dcc::vp
