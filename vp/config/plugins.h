// Loads plug-ins: shared objects that add algorithms.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dcc::vp {

/// Returns the path of a plug-in: `name` with a slash or an ending is a file below `folder`; a bare
/// name is NAME.so in `folder`, in a folder of DCCVP_PLUGIN_PATH (separated by colons), or among
/// the installed plug-ins. Throws std::runtime_error if no such file exists.
std::filesystem::path find_plugin(const std::string& name, const std::filesystem::path& folder);

/// Loads a plug-in, whose modules register themselves. Before any code of the file runs, checks
/// that the file was made for this program; throws std::runtime_error with the reason if not.
/// Loading a file again does nothing.
void load_plugin(const std::filesystem::path& file);

/// The loaded plug-in files in the order of loading, process-wide like the algorithms that they
/// added.
const std::vector<std::string>& loaded_plugins();

}  // namespace dcc::vp
