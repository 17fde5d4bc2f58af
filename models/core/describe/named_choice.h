// Modules behind a name: each module registers itself in its own file, a configuration names one of
// the modules, and every module describes its own parameters.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "describe/visitor.h"

namespace dcc {

/// Throws std::logic_error because two modules have the same name. The function is defined in the
/// program, not in a plug-in: an exception of a plug-in's initialisation must come from code that
/// is already loaded.
[[noreturn]] void refuse_taken_name(const char* section, const std::string& name);

/// Maker for Named::Registered: makes a module of type Made from its parameters and its context, in
/// either order, or from the context alone.
template <class Made>
constexpr auto kMakes = [](const auto& parameters, const auto& context) {
  if constexpr (std::is_constructible_v<Made, decltype(parameters), decltype(context)>) {
    return std::make_unique<Made>(parameters, context);
  } else if constexpr (std::is_constructible_v<Made, decltype(context), decltype(parameters)>) {
    return std::make_unique<Made>(context, parameters);
  } else {
    return std::make_unique<Made>(context);
  }
};

/// One kind of module. `Seam` has these members:
///   Parameters  base class of every module's parameters, with a virtual destructor and a virtual
///               describe(ParameterVisitor&)
///   Product     base class of what a module makes
///   Context     what a Product is made with
///   kSection    path of the kind in a configuration, for messages
///   kKey        key under which a configuration names the module
///   kDefault    name of the module that is chosen by default, registered or built in
///   built_in()  names without a module, each with its description; they make no Product
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

  /// All registered modules of this kind, sorted by name, since the order of registration depends
  /// on the linker.
  static const std::vector<Entry>& all() { return entries(); }
  /// Registers a module. Throws std::logic_error if the name is registered or built in.
  static void add(Entry entry) {
    const auto place =
        std::lower_bound(entries().begin(), entries().end(), entry.name,
                         [](const Entry& e, const std::string& n) { return e.name < n; });
    bool taken = place != entries().end() && place->name == entry.name;
    for (const auto& built_in : Seam::built_in()) taken = taken || built_in.first == entry.name;
    if (taken) refuse_taken_name(Seam::kSection, entry.name);
    entries().insert(place, std::move(entry));
  }

  /// Registers a module with parameters of type Mine. Define one constant of this type at namespace
  /// scope in the module's .cpp. `make` is called with (const Mine&, const Context&) and returns a
  /// std::unique_ptr to the Product.
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

  /// The module that a configuration names, and the parameters of every registered module.
  class Choice {
   public:
    Choice() : name_(Seam::kDefault) {
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
    /// Parameters of the chosen module; null for a built-in name.
    const Parameters* chosen() const {
      const auto known = parameters_.find(name_);
      return known == parameters_.end() ? nullptr : known->second.get();
    }
    /// Parameters of a module, chosen or not. Precondition: `name` is registered with type Mine.
    template <class Mine>
    Mine& of(const std::string& name) {
      return static_cast<Mine&>(*parameters_.at(name));
    }
    template <class Mine>
    const Mine& of(const std::string& name) const {
      return static_cast<const Mine&>(*parameters_.at(name));
    }
    /// Makes the Product of the chosen module; null for a built-in name.
    std::unique_ptr<Product> make(const Context& context) const {
      const Parameters* const parameters = chosen();
      return parameters == nullptr ? nullptr : entry_of(name_).make(*parameters, context);
    }

    void describe(ParameterVisitor& v) {
      v.one_of(Seam::kKey, name_, choices(), {meaning()});
      for (const auto& entry : parameters_) {
        const std::string condition = std::string(Seam::kKey) + ": " + entry.first;
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
