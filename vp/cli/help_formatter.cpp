#include "cli/help_formatter.h"

#include <sstream>

#include "cli/text_table.h"

namespace dcc::vp {
namespace {

constexpr std::size_t kNames = 26;
constexpr std::size_t kWidth = 79;

std::string entry(const std::string& name, const std::string& description) {
  std::string out = "  " + name;
  // A name that is too long for its column gets a line of its own in the help text.
  if (out.size() + 1 > kNames) {
    out += "\n" + std::string(kNames, ' ');
  } else {
    out.resize(kNames, ' ');
  }
  bool first = true;
  for (const std::string& line : wrapped(description, kWidth - kNames)) {
    if (!first) out += std::string(kNames, ' ');
    out += line + "\n";
    first = false;
  }
  return out;
}

}  // namespace

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option),
               make_option_desc(option));
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  std::string out;
  std::istringstream paragraphs(app->get_description());
  for (std::string paragraph; std::getline(paragraphs, paragraph);) {
    for (const std::string& line : wrapped(paragraph, kWidth)) out += line + "\n";
  }
  return out;
}

}  // namespace dcc::vp
