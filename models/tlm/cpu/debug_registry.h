// Objects that a debugger's `monitor` commands can show; the builder of the platform registers
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dcc::model {

/// Registry of modules and values by name. Reading a value has no side effects on the simulation.
class DebugRegistry {
 public:
  struct Module {
    std::string name;  // name of the module, for example "host0.controller"
    std::string kind;  // kind of the module, for example "congestion controller"
    // function that describes the module in a few lines of text; may be empty
    std::function<std::string()> describe;
  };
  /// A family of values: a register ("controller.status"), or indexed ("controller.slot[N]").
  struct Value {
    std::string name;  // name without index, for example "controller.slot"
    std::string help;  // meaning of the values, for example "rate, alpha and counters of slot N"
    std::uint32_t count = 0;  // number of values of an indexed family; 0: the value is not indexed
    /// Function that reads a value as text for people. `monitor stop-on-change` compares these
    /// texts.
    std::function<std::string(std::uint32_t index)> read;
  };

  void add_module(Module module) { modules_.push_back(std::move(module)); }
  void add_value(Value value) { values_.push_back(std::move(value)); }
  /// Function that finds registers by name: returns the bus address of a register, or nothing for
  /// an unknown name. The CPU reads the register by debug access.
  using Resolver = std::function<std::optional<std::uint32_t>(const std::string& name)>;
  void add_names(Resolver resolve) { resolvers_.push_back(std::move(resolve)); }
  std::optional<std::uint32_t> address_of(const std::string& name) const;
  /// Function that reads a computed value as text.
  using Reader = std::function<std::string()>;
  using Lookup = std::function<Reader(const std::string& name)>;
  void add_lookup(Lookup lookup) { lookups_.push_back(std::move(lookup)); }
  const std::vector<Module>& modules() const { return modules_; }
  const std::vector<Value>& values() const { return values_; }

  /// Returns a function that reads the value "name" or "name[index]"; empty with `error` set if the
  /// name is unknown.
  std::function<std::string()> find(const std::string& path, std::string& error) const;

 private:
  std::vector<Module> modules_;
  std::vector<Value> values_;
  std::vector<Resolver> resolvers_;
  std::vector<Lookup> lookups_;
};

}  // namespace dcc::model
