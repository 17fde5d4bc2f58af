// dccvp bisect: finds the first instant at which two runs differ, and the device that differs
// first.
#include "debug/bisect.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/leave_results.h"
#include "config/yaml_reader.h"
#include "describe/quantity_text.h"
#include "report/numbers.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

struct BisectArguments {
  std::string a;
  std::string b;
  std::vector<std::string> both;
  std::vector<std::string> only_a;
  std::vector<std::string> only_b;
  FormatArgument format;
};

LoadedConfig load_side(const std::string& file, std::vector<std::string> overrides,
                       const std::vector<std::string>& own) {
  overrides.insert(overrides.end(), own.begin(), own.end());
  LoadedConfig loaded = load_config(file, overrides);
  const PlatformConfig& c = loaded.config;
  bool debugged = c.host.gdb.has_value();
  for (const auto& [id, host] : c.hosts) debugged = debugged || host.gdb.has_value();
  if (debugged) {
    throw ConfigError(loaded.place_of("host.gdb"),
                      "gdb: a run that waits for a debugger cannot be compared");
  }
  loaded.config.output.trace = {};
  return loaded;
}

DigestedRun run_of(const LoadedConfig& loaded) {
  return [&loaded](const DigestConfig& window, const DigestSampler::Sink& sink) {
    LoadedConfig mine = loaded;
    mine.config.output.digest = window;
    RunSetup setup;
    setup.threads = 1;
    setup.digests = [&](const std::vector<std::string>& names, PicoSeconds now,
                        const std::vector<std::uint64_t>& row) { sink(names, now, row); };
    simulate(mine, false, setup);
  };
}

std::optional<Parting> bisect_runs(const BisectArguments& arguments) {
  const LoadedConfig a = load_side(arguments.a, arguments.both, arguments.only_a);
  const LoadedConfig b = load_side(arguments.b, arguments.both, arguments.only_b);
  const bool talk = !arguments.format.json() && ::isatty(STDERR_FILENO) == 1;
  return find_parting(run_of(a), run_of(b), std::min(a.config.duration, b.config.duration),
                      [talk](const DigestConfig& window) {
                        if (!talk) return;
                        std::fprintf(stderr, "from %s to %s, every %s\n",
                                     text_of(window.from).c_str(), text_of(*window.to).c_str(),
                                     text_of(*window.every).c_str());
                      });
}

void tell_people(const std::optional<Parting>& parting) {
  if (!parting) {
    std::printf("The runs are the same.\n");
    return;
  }
  if (!parting->ended.empty()) {
    std::printf("The runs differ before %s: %s has ended\n", text_of(parting->at).c_str(),
                parting->ended.c_str());
  } else {
    std::printf("The runs differ at %s: %s\n", text_of(parting->at).c_str(),
                parting->devices.front().c_str());
  }
  if (parting->equal_at) {
    std::printf("At %s they were equal.\n", text_of(*parting->equal_at).c_str());
  }
  if (parting->devices.size() < 2) return;
  std::printf("At the same instant:");
  for (std::size_t i = 1; i < parting->devices.size(); ++i) {
    std::printf(" %s", parting->devices[i].c_str());
  }
  std::printf("\n");
}

void tell_programs(const std::optional<Parting>& parting) {
  nlohmann::ordered_json json{{"same", !parting.has_value()}};
  if (parting) {
    json["at_s"] = exact_seconds(parting->at);
    json["at_ps"] = parting->at.count;
    if (parting->equal_at) json["equal_at_ps"] = parting->equal_at->count;
    json["devices"] = parting->devices;
    if (!parting->ended.empty()) json["ended"] = parting->ended;
  }
  std::printf("%s\n", json.dump(1).c_str());
}

int bisect(const BisectArguments& arguments) {
  const bool folders = fs::is_directory(arguments.a) && fs::is_directory(arguments.b);
  if (!folders && (fs::is_directory(arguments.a) || fs::is_directory(arguments.b))) {
    throw OutputError("compare two folders of results, or two configurations, not one of each");
  }
  const bool set =
      !arguments.both.empty() || !arguments.only_a.empty() || !arguments.only_b.empty();
  if (folders && set) throw OutputError("runs that are over take no parameters");
  std::optional<Parting> parting;
  try {
    parting = folders ? compare_digests(fs::path(arguments.a) / "digest.csv",
                                        fs::path(arguments.b) / "digest.csv")
                      : bisect_runs(arguments);
  } catch (const ConfigError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw OutputError(error.what());
  }
  arguments.format.json() ? tell_programs(parting) : tell_people(parting);
  return parting ? kExitBrokenPromise : kExitOk;
}

void add_overrides(CLI::App& command, const char* name, std::vector<std::string>& into,
                   const char* help) {
  command.add_option(name, into, help)->type_name("key.path=value")->allow_extra_args(false);
}

}  // namespace

void add_bisect_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("bisect", "the first instant at which two runs part, and the device");
  const auto arguments = std::make_shared<BisectArguments>();
  for (const auto& [name, into] : {std::pair{"A", &arguments->a}, std::pair{"B", &arguments->b}}) {
    command->add_option(name, *into, "a configuration, or a run's folder with digest.csv")
        ->required()
        ->type_name("CONFIG.yaml|DIR");
  }
  add_overrides(*command, "-c", arguments->both, "set a parameter in both configurations");
  add_overrides(*command, "--a", arguments->only_a, "set a parameter in the first");
  add_overrides(*command, "--b", arguments->only_b, "set a parameter in the second");
  arguments->format.add_to(*command);
  command->footer(
      "Two configurations are run, in ever narrower windows, until the instant is known\n"
      "to the picosecond. Two folders tell as much as --digest-every made them write.\n"
      "Examples:\n"
      "  dccvp bisect configs/demo.yaml configs/demo.yaml --b switch.ecn.kmax=100KB\n"
      "  dccvp bisect configs/demo.yaml configs/demo.yaml --b nic.controller.timer=rtl\n"
      "Exit status: 0 the runs are the same, 1 they part, 2 unusable input.");
  command->callback([arguments, &status] { status = bisect(*arguments); });
}

}  // namespace dcc::vp
