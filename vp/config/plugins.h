// Shared objects that bring algorithms along.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dcc::vp {

/// Where a plug-in is: `name` with a slash or an ending is a file below `folder`; a bare name is
/// NAME.so there, in a folder of DCCVP_PLUGIN_PATH (separated by colons), or among those installed
/// with this program. std::runtime_error when it is nowhere.
std::filesystem::path find_plugin(const std::string& name, const std::filesystem::path& folder);

/// Loads it; what is in it registers itself. Nothing of it runs before it is known to be for this
/// program: std::runtime_error says why not. Loading a file again does nothing.
void load_plugin(const std::filesystem::path& file);

/// The files that were loaded, in that order: as the algorithms they brought, the process's own.
const std::vector<std::string>& loaded_plugins();

}  // namespace dcc::vp
