// dccvp branch: runs one configuration up to a moment and continues from that moment with each of
// several changes.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/leave_results.h"
#include "cli/preflight.h"
#include "config/yaml_reader.h"
#include "debug/fork_each.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

struct BranchArguments {
  ConfigArguments config;
  FormatArgument format;
  std::string branches;
  std::string at;
  unsigned jobs = 2;
  bool force = false;
};

/// One continuation of a run after the common part.
struct Branch {
  LoadedConfig loaded;
  std::unique_ptr<OutputFolder> folder;
};

const ValueNode& entry_of(const ValueNode& branch, const char* key, ValueNode::Kind kind) {
  const ValueNode* const found = branch.find(key);
  if (found != nullptr && found->kind == kind) return *found;
  throw ConfigError(branch.place,
                    std::string("a branch is {out: FOLDER, set: {PATH: VALUE, …}}; ") + key +
                        (found == nullptr ? " is missing" : " is something else"));
}

/// Refuses output settings that a process cannot share among its copies.
void refuse_what_is_shared(const LoadedConfig& loaded) {
  const PlatformConfig& c = loaded.config;
  if (c.output.trace.any()) {
    throw ConfigError(loaded.place_of("output.trace"),
                      "output.trace: branches share the run before them, so no branch can be "
                      "traced; run a single branch with `changes`");
  }
  std::vector<std::pair<std::string, const HostConfig*>> hosts{{"host", &c.host}};
  for (const auto& [id, host] : c.hosts) hosts.emplace_back("hosts." + std::to_string(id), &host);
  for (const auto& [path, host] : hosts) {
    if (!host->gdb) continue;
    throw ConfigError(loaded.place_of(path + ".gdb"),
                      path + ".gdb: branches cannot share a debugger");
  }
}

/// Resolves links in the existing part of a path, so that two names of one folder compare equal.
fs::path folder_meant(const std::string& name) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(name, error), error);
  if (error) return name;  // creating the folder will report the reason
  // a trailing slash of a path has no meaning
  return whole.has_filename() ? whole : whole.parent_path();
}

std::vector<Branch> read_branches(const BranchArguments& arguments) {
  const ValueNode root = load_yaml(arguments.branches);
  if (root.kind != ValueNode::Kind::kList || root.items.empty()) {
    throw ConfigError(root.place, "expected a list of branches, not " + root.described());
  }
  std::vector<Branch> branches;
  std::map<fs::path, Place> taken;
  for (const ValueNode& item : root.items) {
    if (item.kind != ValueNode::Kind::kMap) {
      throw ConfigError(item.place, "expected a branch, not " + item.described());
    }
    const ValueNode& out = entry_of(item, "out", ValueNode::Kind::kScalar);
    const ValueNode& set = entry_of(item, "set", ValueNode::Kind::kMap);
    const auto [first, is_new] = taken.emplace(folder_meant(out.scalar), out.place);
    if (!is_new) {
      throw ConfigError(out.place, "out: the branch at " + first->second.text() +
                                       " leaves its results in '" + out.scalar + "' already");
    }
    std::vector<std::string> overrides = arguments.config.overrides;
    overrides.push_back("changes.+={at: " + arguments.at + ", set: " + set.flow_text() + "}");
    Branch branch{load_config(arguments.config.file, overrides), nullptr};
    check_controllers(branch.loaded);
    branch.folder = std::make_unique<OutputFolder>(out.scalar, arguments.force);
    branches.push_back(std::move(branch));
  }
  return branches;
}

void tell(const Branch& branch, int status, const std::string& said, bool json) {
  const std::string out = branch.folder->final_place().string();
  if (json) {
    const nlohmann::ordered_json line{{"out", out}, {"status", status}, {"said", said}};
    std::printf("%s\n", line.dump().c_str());
  } else {
    std::printf("%s: %s\n%s", out.c_str(), status == kExitOk ? "done" : "failed", said.c_str());
  }
  std::fflush(stdout);
}

int branch(const BranchArguments& arguments) {
  const LoadedConfig common = load_config(arguments.config.file, arguments.config.overrides);
  refuse_what_is_shared(common);
  std::vector<Branch> branches = read_branches(arguments);
  const bool json = arguments.format.json();
  int worst = kExitOk;
  const auto ended = [&](const CopyEnd& end) {
    tell(branches[end.number], end.status, end.said, json);
    if (end.status != kExitOk) worst = kExitBrokenPromise;
  };
  RunSetup setup;
  // one thread only, since other threads would not exist in the copies of the process
  setup.threads = 1;
  std::optional<std::size_t> number;
  const PicoSeconds at = branches.front().loaded.config.changes.back().at;
  setup.late_change = LateChange{at, [&] {
                                   number = fork_each(branches.size(), arguments.jobs, ended);
                                   if (!number)
                                     // This process ran only the common part, so it returns the
                                     // worst exit status of the branches.
                                     std::_Exit(worst);
                                   return branches[*number].loaded.config.changes.back().config;
                                 }};
  RunResults results = simulate(common, false, setup);
  if (number) {
    Branch& mine = branches[*number];
    return leave_results(mine.loaded, results, *mine.folder, {true, false});
  }
  // The run ended before the branching moment, so every branch has ended too.
  for (Branch& one : branches) {
    RunResults copy = results;
    const int status = leave_results(one.loaded, copy, *one.folder, {true, false});
    tell(one, status, "", json);
    if (status != kExitOk) worst = kExitBrokenPromise;
  }
  return worst;
}

}  // namespace

void add_branch_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "branch", "one run up to a moment, and from there one for each of several changes");
  const auto arguments = std::make_shared<BranchArguments>();
  arguments->config.add_to(*command, true);
  arguments->format.add_to(*command);
  command
      ->add_option("branches", arguments->branches, "a list of {out: FOLDER, set: {PATH: VALUE}}")
      ->required()
      ->type_name("BRANCHES.yaml");
  command->add_option("--at", arguments->at, "when they part")->required()->type_name("TIME");
  command->add_option("-j", arguments->jobs, "branches at a time (default 2)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->add_flag("--force", arguments->force, "replace earlier runs' folders");
  command->footer(
      "Each leaves what `run` leaves with the same changes at that time, byte by byte.\n"
      "Only parameters that may change during a run can be set (`params` marks them).\n"
      "Examples:\n"
      "  echo '[{out: a, set: {switch.ecn.kmax: 50KB}}]' > branches.yaml\n"
      "  dccvp branch configs/demo.yaml branches.yaml --at 20ms\n"
      "Exit status: 0 done, 1 the run of a branch failed, 2 unusable input.");
  command->callback([arguments, &status] { status = branch(*arguments); });
}

}  // namespace dcc::vp
