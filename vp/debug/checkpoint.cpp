#include "debug/checkpoint.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "config/effective_yaml.h"
#include "config/own_files.h"
#include "config/yaml_tree.h"
#include "describe/quantity_text.h"
#include "report/run_files.h"

namespace dcc::vp {
namespace {

constexpr std::uint64_t kCheckpointForm = 1;  // grows when the file's form changes

/// A file's values, each with the place to blame.
class CheckpointReader {
 public:
  explicit CheckpointReader(const std::filesystem::path& file) : root_(load_yaml(file)) {
    if (root_.kind != ValueNode::Kind::kMap || root_.find("checkpoint") == nullptr) {
      throw ConfigError(root_.place, "this is no checkpoint (dccvp run --checkpoint makes one)");
    }
  }
  const ValueNode& node(const char* key, ValueNode::Kind kind) const {
    const ValueNode* const found = root_.find(key);
    if (found == nullptr) {
      throw ConfigError(root_.place, std::string("a checkpoint's '") + key + "' is missing");
    }
    if (found->kind == kind) return *found;
    throw ConfigError(found->place, std::string(key) + ": unexpected " + found->described());
  }
  std::uint64_t hex(const char* key) const { return hex(node(key, ValueNode::Kind::kScalar)); }
  static std::uint64_t hex(const ValueNode& node) {
    const bool digits = node.kind == ValueNode::Kind::kScalar && node.scalar.size() == 16 &&
                        node.scalar.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!digits) {
      throw ConfigError(node.place, "expected 16 hexadecimal digits, not " + node.described());
    }
    return std::strtoull(node.scalar.c_str(), nullptr, 16);
  }
  template <class T>
  T quantity(const char* key) const {
    const ValueNode& value = node(key, ValueNode::Kind::kScalar);
    try {
      return QuantityText<T>::parse(value.scalar);
    } catch (const QuantityError& error) {
      throw ConfigError(value.place, std::string(key) + ": " + error.what());
    }
  }
  const Place& place_of(const char* key) const { return root_.find(key)->place; }

 private:
  ValueNode root_;
};

bool looks_like_a_checkpoint(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  return std::getline(in, line) && std::getline(in, line) && line.rfind("checkpoint: ", 0) == 0;
}

std::string hex_text(std::uint64_t number) { return fmt::format("{:016x}", number); }

/// What decides of a run's course: nobody's looking on does.
std::string course_of(PlatformConfig config) {
  config.output = {};
  config.host.gdb.reset();
  for (auto& [id, host] : config.hosts) host.gdb.reset();
  return effective_yaml(config);
}

void refuse_another_course(const LoadedConfig& stored, const LoadedConfig& wanted) {
  std::istringstream a(course_of(stored.config));
  std::istringstream b(course_of(wanted.config));
  const auto next = [](std::istream& in) -> std::optional<std::string> {
    std::string line;
    if (!std::getline(in, line)) return std::nullopt;
    return line;
  };
  const auto quoted = [](const std::string& line) {
    return "'" + line.substr(std::min(line.find_first_not_of(' '), line.size())) + "'";
  };
  for (;;) {
    const std::optional<std::string> before = next(a);
    const std::optional<std::string> after = next(b);
    if (!before && !after) return;
    if (before == after) continue;
    const std::string what = !before  ? quoted(*after) + " cannot be added"
                             : !after ? quoted(*before) + " cannot be left out"
                                      : quoted(*before) + " cannot become " + quoted(*after);
    throw ConfigError(Place{"-c"}, "a checkpoint is of its own configuration: " + what +
                                       " (only output and gdb may change)");
  }
}

}  // namespace

Checkpoint checkpoint_of(const PlatformConfig& config, PicoSeconds at, DeviceDigests state) {
  return {build_id(), plugins_id(), config.seed, at, effective_yaml(config), std::move(state)};
}

void check_checkpoint_place(const std::filesystem::path& file, bool force) {
  namespace fs = std::filesystem;
  const std::string name = "'" + file.string() + "'";
  std::error_code error;
  if (fs::is_directory(file, error)) throw OutputError(name + " is a folder, not a checkpoint");
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw OutputError("cannot write " + name + ": " + std::strerror(errno));
  }
  if (!fs::exists(file, error)) return;
  if (!looks_like_a_checkpoint(file)) {
    throw OutputError(name + " is there, and no checkpoint; not replaced");
  }
  if (!force) throw OutputError(name + " is there; --force replaces it");
}

void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  std::filesystem::path stage = file;
  stage.replace_filename("." + file.filename().string() + ".tmp-" + std::to_string(::getpid()));
  std::ofstream out(stage);
  out << "# A moment of a run: dccvp resume " << file.filename().string()
      << "\ncheckpoint: " << kCheckpointForm << "\nbuild: '" << hex_text(checkpoint.build)
      << "'\nplugins: '" << hex_text(checkpoint.plugins) << "'\nseed: " << checkpoint.seed
      << "\nat: " << text_of(checkpoint.at) << "\nconfiguration: |\n";
  std::istringstream lines(checkpoint.configuration);
  for (std::string line; std::getline(lines, line);) out << "  " << line << '\n';
  out << "state:\n";
  for (const auto& [device, digest] : checkpoint.state) {
    out << "  " << nlohmann::json(device).dump() << ": '" << hex_text(digest) << "'\n";
  }
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(stage, file, error);
  if (out && !error) return;
  std::filesystem::remove(stage, error);
  throw OutputError("cannot write '" + file.string() + "'");
}

RestoredConfig read_checkpoint(const std::filesystem::path& file,
                               const std::vector<std::string>& overrides) {
  const CheckpointReader in(file);
  if (in.quantity<std::uint64_t>("checkpoint") != kCheckpointForm) {
    throw ConfigError(in.place_of("checkpoint"), "a checkpoint of a form that is not known here");
  }
  RestoredConfig restored;
  Checkpoint& c = restored.checkpoint;
  c.build = in.hex("build");
  if (c.build != build_id()) {
    throw ConfigError(in.place_of("build"), "another build of dccvp wrote this checkpoint (" +
                                                hex_text(c.build) + ", this is " +
                                                hex_text(build_id()) +
                                                "), and only that one can come back to it");
  }
  c.plugins = in.hex("plugins");
  c.seed = in.quantity<std::uint64_t>("seed");
  c.at = in.quantity<PicoSeconds>("at");
  c.configuration = in.node("configuration", ValueNode::Kind::kScalar).scalar;
  for (const ValueNode::Entry& entry : in.node("state", ValueNode::Kind::kMap).entries) {
    c.state[entry.key] = CheckpointReader::hex(entry.value);
  }
  const std::string name = file.string() + ", configuration";
  const LoadedConfig stored = load_config_text(c.configuration, name);
  if (c.plugins != plugins_id()) {
    throw ConfigError(in.place_of("plugins"), "its plug-ins are others now than they were");
  }
  if (stored.config.seed != c.seed) {
    throw ConfigError(in.place_of("seed"), "its configuration has seed " +
                                               std::to_string(stored.config.seed) + ", not " +
                                               std::to_string(c.seed));
  }
  if (c.at.count < 0 || c.at > stored.config.duration) {
    throw ConfigError(in.place_of("at"),
                      "its run goes from 0us to " + text_of(stored.config.duration));
  }
  restored.loaded = load_config_text(c.configuration, name, ".", overrides);
  refuse_another_course(stored, restored.loaded);
  return restored;
}

std::vector<std::string> devices_that_differ(const Checkpoint& checkpoint,
                                             const DeviceDigests& state) {
  std::vector<std::string> names;
  for (const auto& [name, digest] : checkpoint.state) {
    const auto now = state.find(name);
    if (now == state.end() || now->second != digest) names.push_back(name);
  }
  for (const auto& [name, digest] : state) {
    if (checkpoint.state.count(name) == 0) names.push_back(name);
  }
  return names;
}

}  // namespace dcc::vp
