// Reads bad_configs.txt, the table of invalid configurations and their error messages.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace dcc::vp {

struct BadConfig {
  std::string name;
  std::string message;  // beginning of the error message after "FILE: "
  std::string text;
};

/// All blocks of bad_configs.txt. The beginning of that file describes the form of a block.
inline std::vector<BadConfig> bad_configs() {
  std::vector<BadConfig> all;
  std::ifstream table(DCC_BAD_CONFIGS);
  for (std::string line; std::getline(table, line);) {
    if (line.rfind("=== ", 0) == 0) {
      const std::size_t bar = line.find(" | ");
      all.push_back({line.substr(4, bar - 4), line.substr(bar + 3), {}});
    } else if (!all.empty()) {
      std::string& text = all.back().text;
      for (std::size_t i = 0; i < line.size(); ++i) {
        if (line.compare(i, 2, "\\x") != 0) {
          text += line[i];
          continue;
        }
        text += static_cast<char>(std::strtoul(line.substr(i + 2, 2).c_str(), nullptr, 16));
        i += 3;
      }
      text += '\n';
    }
  }
  return all;
}

}  // namespace dcc::vp
