// Modules that stand behind a name: each registers itself in its own file, a configuration names
// one of them, and all describe their parameters.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "describe/visitor.h"

namespace dcc {

/// `Seam` says what is behind the names:
///   Parameters  base of every module's: virtual destructor, virtual describe(ParameterVisitor&)
///   Product     what they make
///   Context     what making it takes
///   kSection    how messages name the seam
///   built_in()  names that nobody registers, each with what it does
template <class Seam>
struct Named {
  using Parameters = typename Seam::Parameters;
  using Product = typename Seam::Product;
  using Context = typename Seam::Context;

  struct Entry {
    std::string name;
    std::string description;
    std::function<std::unique_ptr<Parameters>()> defaults;
    std::function<std::unique_ptr<Parameters>(const Parameters&)> copy;
    std::function<std::unique_ptr<Product>(const Parameters&, const Context&)> make;
  };

  /// All that registered, by name: files register in whatever order they were linked.
  static const std::vector<Entry>& all() { return entries(); }
  /// Throws std::logic_error for a name that is taken.
  static void add(Entry entry) {
    const auto place =
        std::lower_bound(entries().begin(), entries().end(), entry.name,
                         [](const Entry& e, const std::string& n) { return e.name < n; });
    bool taken = place != entries().end() && place->name == entry.name;
    for (const auto& built_in : Seam::built_in()) taken = taken || built_in.first == entry.name;
    if (taken) throw std::logic_error(std::string("two of ") + Seam::kSection + ": " + entry.name);
    entries().insert(place, std::move(entry));
  }

  /// A namespace-scope constant of the module's .cpp; `make` takes (parameters, context).
  template <class Mine>
  struct Registered {
    template <class Make>
    Registered(const char* name, const char* description, Make make) {
      add({name, description, [] { return std::make_unique<Mine>(); },
           [](const Parameters& from) {
             return std::make_unique<Mine>(static_cast<const Mine&>(from));
           },
           [make](const Parameters& parameters, const Context& context) {
             return make(static_cast<const Mine&>(parameters), context);
           }});
    }
  };

  /// The module that a configuration names, and everybody's parameters. The first built-in name
  /// unless another is chosen.
  class Choice {
   public:
    Choice() : name_(Seam::built_in().front().first) {
      for (const Entry& entry : all()) parameters_.emplace(entry.name, entry.defaults());
    }
    Choice(const Choice& other) : name_(other.name_) {
      for (const auto& [name, parameters] : other.parameters_) {
        parameters_.emplace(name, entry_of(name).copy(*parameters));
      }
    }
    Choice& operator=(const Choice& other) {
      Choice copy(other);
      std::swap(name_, copy.name_);
      std::swap(parameters_, copy.parameters_);
      return *this;
    }

    const std::string& name() const { return name_; }
    void choose(std::string name) { name_ = std::move(name); }
    /// Of the chosen module; null when that is a built-in one.
    const Parameters* chosen() const {
      const auto known = parameters_.find(name_);
      return known == parameters_.end() ? nullptr : known->second.get();
    }
    /// Of a module, chosen or not; `name` is registered with these parameters.
    template <class Mine>
    Mine& of(const std::string& name) {
      return static_cast<Mine&>(*parameters_.at(name));
    }
    /// Null for a built-in name.
    std::unique_ptr<Product> make(const Context& context) const {
      const Parameters* const parameters = chosen();
      return parameters == nullptr ? nullptr : entry_of(name_).make(*parameters, context);
    }

    void describe(ParameterVisitor& v) {
      v.one_of("kind", name_, choices(), {meaning(), ""});
      for (const auto& entry : parameters_) {
        const std::string condition = "kind: " + entry.first;
        v.when(entry.first == name_, condition.c_str(), [&] { entry.second->describe(v); });
      }
    }

   private:
    std::string name_;
    std::map<std::string, std::unique_ptr<Parameters>> parameters_;
  };

 private:
  static std::vector<Entry>& entries() {
    static std::vector<Entry> list;
    return list;
  }
  static const Entry& entry_of(const std::string& name) {
    for (const Entry& entry : all()) {
      if (entry.name == name) return entry;
    }
    throw std::logic_error(std::string("none of ") + Seam::kSection + ": " + name);
  }
  static std::vector<std::string> choices() {
    std::vector<std::string> names;
    for (const auto& built_in : Seam::built_in()) names.push_back(built_in.first);
    for (const Entry& entry : all()) names.push_back(entry.name);
    return names;
  }
  static const char* meaning() {
    static const std::string text = [] {
      std::string list;
      for (const auto& [name, what] : Seam::built_in()) list += name + ": " + what + "; ";
      for (const Entry& entry : all()) list += entry.name + ": " + entry.description + "; ";
      list.resize(list.size() - 2);
      return list;
    }();
    return text.c_str();
  }
};

}  // namespace dcc
