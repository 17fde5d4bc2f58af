// Where the tools and data that belong to this program are.
#pragma once

#include <filesystem>
#include <string>

namespace dcc::vp {

/// A file or folder of the checkout, by its path there: of the one that the running program lies
/// in, so that a tree may be copied or moved as it was built; else of the one it was built from.
std::filesystem::path of_checkout(const std::string& path);

}  // namespace dcc::vp
