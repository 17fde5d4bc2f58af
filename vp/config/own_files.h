// Where the tools and data that belong to this program are.
#pragma once

#include <filesystem>
#include <string>

namespace dcc::vp {

/// A file or folder by its path in the checkout: beside the running program, in the tree that it
/// was built in or in the prefix that it is installed in, so that either may be moved; else in the
/// checkout that it was built from.
std::filesystem::path own_file(const std::string& path);

/// The program that runs, also where /proc is not mounted, as in a bare chroot.
std::filesystem::path this_program();

/// A program that comes with this one but stands on no search path.
std::filesystem::path own_program(const std::string& name);

}  // namespace dcc::vp
