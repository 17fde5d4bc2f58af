// A configuration made of several files: what `extends` and `include` bring together.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/yaml_tree.h"

namespace dcc::vp {

/// One tree, whose values still know their own files.
struct LayeredYaml {
  ValueNode root;
  /// The files from the undermost to the topmost, by the names in places. What stands further up
  /// replaces what stands below: maps merge, everything else is replaced whole.
  std::vector<std::string> files;

  /// Whether a file lies below another: what it says may have been replaced by it.
  bool is_below(const std::string& file, const std::string& other) const;
};

/// Takes `extends: base.yaml` and `include: [part.yaml, …]` out of a parsed file and puts what they
/// name beneath it: first the base, then the parts in their order, then the file itself. Names are
/// relative to the file that says them (`folder` for this one), and those files may say so again.
/// Refuses, where the name stands: what is not there, a file that leads back to itself, more than
/// 64 files.
LayeredYaml with_layers(ValueNode root, const std::string& name,
                        const std::filesystem::path& folder);

}  // namespace dcc::vp
