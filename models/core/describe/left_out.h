// Names of schemes that this program was built without.
#pragma once

#include <string>
#include <vector>

namespace dcc {

/// Folders of models/schemes that are not compiled into this program (CMake's DCCVP_SCHEMES); empty
/// if all folders are compiled. The list is set only while the program starts.
inline std::vector<std::string>& left_out() {
  static std::vector<std::string> names;
  return names;
}

}  // namespace dcc
