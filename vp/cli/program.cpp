#include "cli/program.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>

#include "cli/command.h"
#include "cli/help_formatter.h"
#include "config/yaml_tree.h"
#include "describe/quantity_text.h"
#include "report/run_files.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {
namespace {

constexpr AddCommand kCommands[] = {
    add_run_command,     add_check_command,      add_params_command,    add_regs_command,
    add_run_elf_command, add_cosim_command,      add_reproduce_command, add_topology_command,
    add_report_command,  add_completion_command, add_metrics_command,   add_sweep_command,
    add_study_command,   add_import_command,     add_export_command,    add_man_command,
    add_branch_command,  add_cost_command,       add_bisect_command,    add_dts_command,
    add_resume_command};

/// Suggests the nearest command or option for an unknown word; empty if no name is near.
std::string misspelt(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2) return "";
  const std::string command = argv[1];
  std::vector<std::string> names;
  const CLI::App* known = nullptr;
  for (const CLI::App* const sub : app.get_subcommands(nullptr)) {
    if (!sub->get_group().empty()) names.push_back(sub->get_name());
    if (sub->get_name() == command) known = sub;
  }
  const auto sentence = [](const std::string& what, const std::string& near) {
    return what + (near.empty() ? "" : "; did you mean '" + near + "'?");
  };
  if (known == nullptr) {
    if (command.empty() || command[0] == '-') return "";
    return sentence("there is no command '" + command + "'", nearest(command, names));
  }
  names.clear();
  for (const CLI::Option* const option : known->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (int i = 2; i < argc && std::string(argv[i]) != "--"; ++i) {
    const std::string given = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (given.rfind("--", 0) != 0) continue;
    if (std::find(names.begin(), names.end(), given) != names.end()) continue;
    return sentence("'" + command + "' has no option '" + given + "'", nearest(given, names));
  }
  return "";
}

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

namespace {

bool returned = false;  // true after run_program() has set its exit status

/// Called by exit(). A plug-in that calls exit() must not make a failed run look successful.
void refuse_early_exit() {
  if (returned) return;
  std::fprintf(
      stderr,
      "dccvp: a plug-in or a library called exit() before the command was done; results are "
      "not complete\n");
  std::fflush(stderr);
  ::_exit(kExitBrokenPromise);
}

/// Called if an exception cannot be caught because it left a thread, a destructor or a function
/// that must not throw.
[[noreturn]] void report_uncaught() {
  const char* what = "no exception";
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
    what = "an exception without a text";
  }
  std::fprintf(stderr,
               "dccvp: internal error: %s; thrown where nothing can catch it, by a plug-in, a "
               "library or this program; results are not complete\n",
               what);
  std::fflush(stderr);
  ::_exit(kExitBrokenPromise);
}

/// Returns `status`, or kExitBadInput with a message if the output could not be written, as on a
/// full disk. Prints no message if the output is a closed pipe, since no reader is left.
int with_output_written(int status) {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return status;
  const int reason = errno;
  if (reason == EPIPE) return status == kExitOk ? kExitBrokenPromise : status;
  std::fprintf(stderr, "dccvp: standard output could not be written%s%s\n", reason == 0 ? "" : ": ",
               reason == 0 ? "" : std::strerror(reason));
  return status == kExitOk ? kExitBadInput : status;
}

int run_command(int argc, const char* const* argv) {
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
  } catch (const CLI::Success& e) {  // CLI11 throws Success for --help and --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    const std::string near = misspelt(app, argc, argv);
    std::fprintf(stderr, "dccvp: %s (dccvp --help)\n", near.empty() ? e.what() : near.c_str());
    return kExitBadInput;
  } catch (const ConfigError& e) {
    return bad_input(e.what());
  } catch (const TrafficError& e) {
    return bad_input(e.what());
  } catch (const OutputError& e) {
    return bad_input(e.what());
  } catch (const std::filesystem::filesystem_error& e) {
    return bad_input(("'" + e.path1().string() + "': " + e.code().message()).c_str());
  } catch (const std::bad_alloc&) {
    return bad_input("not enough memory for so large a platform");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "dccvp: internal error: %s\n", e.what());
    return kExitBrokenPromise;
  } catch (...) {
    std::fprintf(stderr,
                 "dccvp: internal error: an exception without a text; was it a plug-in's?\n");
    return kExitBrokenPromise;
  }
  return status;
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  std::atexit(refuse_early_exit);
  std::set_terminate(report_uncaught);
  const int status = with_output_written(run_command(argc, argv));
  returned = true;
  return status;
}

}  // namespace dcc::vp
