// dccvp import and dccvp export: turn files of other programs into a platform and back, by the
// Python tools of these names.
#include "cli/command.h"
#include "cli/script.h"

namespace dcc::vp {

void add_import_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "import",
      "a platform of other programs' files: topologies, flows, profiles, parameters, machines");
  command
      ->add_option("format",
                   "hpcc, htsim, sonic, mlx5, irdma, bnxt, sizes, csv, graphml, sndlib, goal, "
                   "chakra, astra, dts or repl")
      ->required()
      ->type_name("FORMAT");
  command->add_option("files", "what to read; - is standard input")
      ->expected(1, -1)
      ->allow_extra_args()
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--out", "folder to make")->required()->type_name("DIR");
  command->add_option("--set", "a choice that the files leave open")
      ->expected(1, -1)
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--force", "replace the folder of an earlier import");
  command->footer(
      "Leaves DIR/network.yaml, traffic files, and DIR/import.md: what was read,\n"
      "ignored and assumed. docs/import.md says what each format gives.\n"
      "Examples:\n"
      "  dccvp import hpcc topology.txt flow.txt config.txt -o net\n"
      "  dccvp import sonic config_db.json -o switch\n"
      "Exit status: 0, or 2 for unusable input.");
  hand_to_tool(*command, status);
}

void add_export_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("export", "results or parameters in the form of other programs");
  command
      ->add_option("format",
                   "fct: flow completion times as the HPCC authors' scripts read them; mlx5: "
                   "parameters of an adapter")
      ->required()
      ->type_name("FORMAT");
  command->add_option("input", "fct: a run's folder; mlx5: a configuration")
      ->required()
      ->type_name("DIR|CONFIG.yaml");
  command->add_option("-o,--out", "the file (default: standard output)")->type_name("FILE");
  command->add_option("-c", "set a parameter (mlx5)")
      ->expected(1, -1)
      ->type_name("key.path=value")
      ->allow_extra_args(false);
  command->footer(
      "Examples:\n"
      "  dccvp export fct out/net -o fct.txt\n"
      "  dccvp export mlx5 configs/demo.yaml -c nic.congestion_control.f=1\n"
      "Exit status: 0, or 2 for unusable input.");
  hand_to_tool(*command, status);
}

}  // namespace dcc::vp
