// Formats help in 80 columns: names on the left, wrapped descriptions beside them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace dcc::vp {

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_description(const CLI::App* app) const override;
};

}  // namespace dcc::vp
