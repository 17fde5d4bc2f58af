#include "cli/program.h"

#include <cstdio>
#include <exception>
#include <filesystem>

#include "cli/command.h"
#include "cli/help_formatter.h"
#include "config/yaml_tree.h"
#include "report/run_files.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {
namespace {

constexpr AddCommand kCommands[] = {
    add_run_command,     add_check_command,      add_params_command,    add_regs_command,
    add_run_elf_command, add_cosim_command,      add_reproduce_command, add_topology_command,
    add_report_command,  add_completion_command, add_metrics_command,   add_sweep_command,
    add_study_command};

int bad_input(const char* message) {
  std::fprintf(stderr, "dccvp: %s\n", message);
  return kExitBadInput;
}

}  // namespace

void ConfigArguments::add_to(CLI::App& command, bool required) {
  command.add_option("config", file, "YAML platform")->required(required)->type_name("CONFIG.yaml");
  command.add_option("-c", overrides, "override a parameter: -c switch.ecn.kmin=20KB")
      ->type_name("key.path=value")
      ->allow_extra_args(false);
}

void FormatArgument::add_to(CLI::App& command, const std::vector<std::string>& formats) {
  std::string names;
  for (const std::string& name : formats) names += (names.empty() ? "" : "|") + name;
  command.add_option("--format", format, "text for people, json for scripts")
      ->check(CLI::IsMember(formats))
      ->type_name(names);
}

int run_program(int argc, const char* const* argv) {
  CLI::App app(
      "Virtual prototype of an RDMA NIC's differentiated congestion controller.\n"
      "Reads a YAML platform, runs it, leaves figures, tables and pictures.",
      "dccvp");
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(1);
  app.set_version_flag("--version", "dccvp " DCCVP_VERSION);
  int status = kExitOk;
  try {
    for (const AddCommand add : kCommands) add(app, status);
    app.footer(
        "Examples:\n"
        "  dccvp run configs/demo.yaml\n"
        "  dccvp run configs/demo.yaml -c duration=20ms --seed 7 --out out/seed7\n"
        "  dccvp params configs/demo.yaml --match ecn\n"
        "Exit status: 0 done, 1 the run broke a promise, 2 unusable input.");
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {  // --help, --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "dccvp: %s (dccvp --help)\n", e.what());
    return kExitBadInput;
  } catch (const ConfigError& e) {
    return bad_input(e.what());
  } catch (const TrafficError& e) {
    return bad_input(e.what());
  } catch (const OutputError& e) {
    return bad_input(e.what());
  } catch (const std::filesystem::filesystem_error& e) {
    return bad_input(("'" + e.path1().string() + "': " + e.code().message()).c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "dccvp: internal error: %s\n", e.what());
    return kExitBrokenPromise;
  }
  return status;
}

}  // namespace dcc::vp
