// dccvp params: every parameter there is, and what a configuration makes of it.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/text_table.h"
#include "config/parameter_list.h"

namespace dcc::vp {
namespace {

void print_json(const std::vector<ParameterRow>& rows, bool effective) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ParameterRow& row : rows) {
    nlohmann::ordered_json entry{{"path", row.path},          {"type", row.type},
                                 {"range", row.range},        {"default", row.fallback},
                                 {"meaning", row.meaning},    {"source", row.source},
                                 {"condition", row.condition}};
    if (effective) {
      entry["value"] = row.value;
      entry["origin"] = row.origin;
    }
    list.push_back(std::move(entry));
  }
  std::printf("%s\n", list.dump(1).c_str());
}

void print_text(const std::vector<ParameterRow>& rows, bool effective) {
  for (const ParameterRow& row : rows) {
    std::string head = row.path + ": " + (effective ? row.value : row.fallback);
    if (effective && row.origin != "default") {
      head += "   (" + row.origin + "; default " + row.fallback + ")";
    }
    std::printf("%s\n", head.c_str());
    std::string text = row.meaning;
    text += ". " + row.type + ": " + row.range;
    if (!row.source.empty()) text += ". Source: " + row.source;
    if (!row.condition.empty() && !effective) text += ". Only with " + row.condition;
    for (const std::string& line : wrapped(text, 74)) std::printf("    %s\n", line.c_str());
  }
}

}  // namespace

void add_params_command(CLI::App& app, int& status) {
  struct Arguments {
    ConfigArguments config;
    FormatArgument format;
    std::string match;
  };
  CLI::App* const command =
      app.add_subcommand("params", "every parameter: default, range, meaning, value");
  const auto arguments = std::make_shared<Arguments>();
  arguments->config.add_to(*command, false);
  arguments->format.add_to(*command);
  command->add_option("--match", arguments->match, "only paths that contain this text")
      ->type_name("TEXT");
  command->callback([arguments, &status] {
    const ConfigArguments& config = arguments->config;
    const bool effective = !config.file.empty() || !config.overrides.empty();
    std::vector<ParameterRow> rows;
    if (!effective) {
      rows = list_parameters();
    } else if (config.file.empty()) {
      rows = list_parameters(default_config(config.overrides));
    } else {
      rows = list_parameters(load_config(config.file, config.overrides));
    }
    rows.erase(std::remove_if(rows.begin(), rows.end(),
                              [&](const ParameterRow& row) {
                                return row.path.find(arguments->match) == std::string::npos;
                              }),
               rows.end());
    arguments->format.json() ? print_json(rows, effective) : print_text(rows, effective);
    status = kExitOk;
  });
}

}  // namespace dcc::vp
