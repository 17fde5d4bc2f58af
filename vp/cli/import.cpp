// dccvp import and dccvp export: turn files of other programs into a platform and back, by the
// Python tools of these names.
#include <memory>

#include "cli/command.h"
#include "cli/script.h"

namespace dcc::vp {
namespace {

struct ImportArguments {
  std::string format;
  std::vector<std::string> files;
  std::string out;
  std::vector<std::string> settings;
  bool force = false;
};

struct ExportArguments {
  std::string format;
  std::string input;
  std::string file;
  std::vector<std::string> overrides;
};

int import_files(const ImportArguments& arguments) {
  std::vector<std::string> words{"--out=" + arguments.out};
  for (const std::string& one : arguments.settings) words.push_back("--set=" + one);
  if (arguments.force) words.emplace_back("--force");
  words.insert(words.end(), {"--", arguments.format});
  words.insert(words.end(), arguments.files.begin(), arguments.files.end());
  return become_tool("import", words);
}

int export_files(const ExportArguments& arguments) {
  std::vector<std::string> words;
  if (!arguments.file.empty()) words.push_back("--out=" + arguments.file);
  for (const std::string& one : arguments.overrides) words.insert(words.end(), {"-c", one});
  words.insert(words.end(), {"--", arguments.format, arguments.input});
  return become_tool("export", words);
}

}  // namespace

void add_import_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "import",
      "a platform of other programs' files: topologies, flows, profiles, parameters, machines");
  const auto arguments = std::make_shared<ImportArguments>();
  command
      ->add_option("format", arguments->format,
                   "hpcc, htsim, sonic, mlx5, irdma, bnxt, sizes, csv, graphml, sndlib, goal, "
                   "chakra, astra, dts or repl")
      ->required()
      ->type_name("FORMAT");
  command->add_option("files", arguments->files, "what to read; - is standard input")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--out", arguments->out, "folder to make")->required()->type_name("DIR");
  command->add_option("--set", arguments->settings, "a choice that the files leave open")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--force", arguments->force, "replace the folder of an earlier import");
  command->footer(
      "Leaves DIR/network.yaml, traffic files, and DIR/import.md: what was read,\n"
      "ignored and assumed. docs/import.md says what each format gives.\n"
      "Examples:\n"
      "  dccvp import hpcc topology.txt flow.txt config.txt -o net\n"
      "  dccvp import sonic config_db.json -o switch\n"
      "Exit status: 0, or 2 for unusable input.");
  command->callback([arguments, &status] { status = import_files(*arguments); });
}

void add_export_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("export", "results or parameters in the form of other programs");
  const auto arguments = std::make_shared<ExportArguments>();
  command
      ->add_option("format", arguments->format,
                   "fct: flow completion times as the HPCC authors' scripts read them; mlx5: "
                   "parameters of an adapter")
      ->required()
      ->type_name("FORMAT");
  command->add_option("input", arguments->input, "fct: a run's folder; mlx5: a configuration")
      ->required()
      ->type_name("DIR|CONFIG.yaml");
  command->add_option("-o,--out", arguments->file, "the file (default: standard output)")
      ->type_name("FILE");
  command->add_option("-c", arguments->overrides, "set a parameter (mlx5)")
      ->type_name("key.path=value")
      ->allow_extra_args(false);
  command->footer(
      "Examples:\n"
      "  dccvp export fct out/net -o fct.txt\n"
      "  dccvp export mlx5 configs/demo.yaml -c nic.congestion_control.f=1\n"
      "Exit status: 0, or 2 for unusable input.");
  command->callback([arguments, &status] { status = export_files(*arguments); });
}

}  // namespace dcc::vp
