// Merges the files of a configuration (`extends` and `include`).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/yaml_tree.h"

namespace dcc::vp {

/// The merged tree of values. Each value keeps its position in its own file.
struct LayeredYaml {
  ValueNode root;
  /// The files from the lowest to the topmost layer, by the names in places. A file of an upper
  /// layer replaces values of a lower layer: maps merge, other values are replaced as a whole.
  std::vector<std::string> files;

  /// True if a file lies below another file, which may have replaced its values.
  bool is_below(const std::string& file, const std::string& other) const;
};

/// Removes `extends: base.yaml` and `include: [part.yaml, …]` from a parsed file and puts the named
/// files below it: first the base, then the parts in their order, then the file itself. Names are
/// relative to the file that contains them (`folder` for this one), and named files may do the
/// same. Throws ConfigError at the name for a missing file, a file that includes itself, and more
/// than 64 files.
LayeredYaml with_layers(ValueNode root, const std::string& name,
                        const std::filesystem::path& folder);

}  // namespace dcc::vp
