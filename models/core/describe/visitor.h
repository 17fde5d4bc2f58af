// The visitor of parameters. A module's describe() function names each of its parameters once: key,
// member, range, meaning, source, and whether the parameter may change during a run. The member's
// initialiser is the default. The visitor reads, lists or writes the parameter.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "describe/enum_names.h"
#include "describe/quantity_text.h"
#include "describe/value_node.h"

namespace dcc {

/// One end of a parameter's range: text as the user would write it, or a constant.
struct Bound {
  Bound() = default;  // no limit at this end of the range
  Bound(const char* as_written) : text(as_written) {}
  template <class T, class = decltype(QuantityText<T>::kTypeName)>
  Bound(const T& value) : text(QuantityText<T>::format(value)) {}
  std::string text;
};

/// A closed range of a parameter; an empty bound means no limit.
struct Range {
  Bound min;
  Bound max;
  std::string text() const;
};

/// Value of Doc::runtime for parameters that may change during a run.
constexpr bool kRuntime = true;

/// Documentation of a parameter: its meaning, the source of its default or rule, and whether it may
/// change during a run.
struct Doc {
  const char* meaning = "";
  const char* source = "";
  bool runtime = false;
};

struct NetworkScale;  // the struct is defined in describe/network_scale.h

/// Sets a parameter's default to the value that fits a network.
using Follow = std::function<void(const NetworkScale&)>;

/// One parameter of a configuration, with its type erased.
struct Leaf {
  std::string key;
  std::string type;
  std::string unit;  // unit names that the value's text may have; empty: the parameter has no unit
  std::string range;
  Doc doc;
  // sets the parameter from the input; throws ConfigError or QuantityError
  std::function<void(const ValueNode&)> read;
  std::function<std::string()> show;  // formats the value as text that `read` accepts
};

class ParameterVisitor {
 public:
  virtual ~ParameterVisitor() = default;

  /// Describes a parameter of one of the types that have a QuantityText.
  template <class T>
  void field(const char* key, T& member, Range range, Doc doc) {
    leaf({key, QuantityText<T>::kTypeName, QuantityText<T>::kUnits, range.text(), doc,
          [&member, range](const ValueNode& node) { member = read_quantity<T>(node, range); },
          [&member] { return QuantityText<T>::format(member); }});
  }

  /// Describes a parameter of type T that the module stores in a narrower integer type.
  template <class T, class Narrow>
  void field_as(const char* key, Narrow& member, Range range, Doc doc) {
    leaf({key, QuantityText<T>::kTypeName, QuantityText<T>::kUnits, range.text(), doc,
          [&member, range](const ValueNode& node) {
            member = static_cast<Narrow>(read_quantity<T>(node, range));
          },
          [&member] { return QuantityText<T>::format(static_cast<T>(member)); }});
  }

  /// Describes an optional parameter; the word `absent` stands for no value.
  template <class T>
  void field(const char* key, std::optional<T>& member, const char* absent, Range range, Doc doc) {
    leaf({key, QuantityText<T>::kTypeName, QuantityText<T>::kUnits,
          std::string(absent) + " | " + range.text(), doc,
          [&member, range, absent](const ValueNode& node) {
            if (is_word(node, absent)) {
              member.reset();
            } else {
              member = read_quantity<T>(node, range);
            }
          },
          [&member, absent] { return member ? QuantityText<T>::format(*member) : absent; }});
  }

  /// Describes an optional parameter with two words: `absent` stands for no value, `word` for the
  /// value `meant`, which need not be in the range.
  template <class T>
  void field(const char* key, std::optional<T>& member, const char* absent, const char* word,
             const T& meant, Range range, Doc doc) {
    leaf({key, QuantityText<T>::kTypeName, QuantityText<T>::kUnits,
          std::string(absent) + " | " + word + " | " + range.text(), doc,
          [&member, range, absent, word, meant](const ValueNode& node) {
            if (is_word(node, absent)) {
              member.reset();
            } else {
              member = is_word(node, word) ? meant : read_quantity<T>(node, range);
            }
          },
          [&member, absent, word, meant] {
            if (!member) return std::string(absent);
            return *member == meant ? word : QuantityText<T>::format(*member);
          }});
  }

  /// States how the default of the parameter described last follows the network. `rule` describes
  /// the value and its source for the user; `set` computes the value. The default follows the
  /// network only while `in_force` is true, and a value that the user wrote stays.
  void follows(bool in_force, const char* rule, const Follow& set) { follow(in_force, rule, set); }

  /// Describes a parameter whose value is the name of an enumerator.
  template <class E>
  void choice(const char* key, E& member, Doc doc) {
    leaf({key, "choice", "", names_of_all<E>(), doc,
          [&member](const ValueNode& node) {
            std::vector<std::string> names;
            for (const auto& [enumerator, name] : EnumTable<E>::kNames) {
              if (is_word(node, name)) {
                member = enumerator;
                return;
              }
              names.emplace_back(name);
            }
            refuse_choice(node, names);
          },
          [&member] { return std::string(name_of(member)); }});
  }
  /// Describes a parameter whose value is one of `names`.
  void one_of(const char* key, std::string& member, const std::vector<std::string>& names, Doc doc);

  /// Describes a parameter whose value is free text of one line and at most 200 characters.
  void text(const char* key, std::string& member, Doc doc);
  /// Describes a parameter whose value is the path of an existing file, relative to the
  /// configuration's folder, or one of `words`.
  void path(const char* key, std::string& member, const std::vector<std::string>& words, Doc doc);
  /// Describes a parameter whose value is a list of hosts; the word `all` stands for an empty list.
  void hosts(const char* key, HostList& member, Doc doc) {
    numbers_or_all(key, member, "hosts", doc);
  }
  /// Describes a list of numbers below 1 048 576 in the syntax of host lists; the word `all` stands
  /// for an empty list. `what`: name of the numbered things in messages.
  void numbers_or_all(const char* key, std::vector<unsigned>& member, const char* what, Doc doc);
  /// Describes a parameter whose value is a name or a list of names; the word `all` stands for an
  /// empty list.
  void names(const char* key, std::vector<std::string>& member, const char* all, Doc doc);
  /// Describes a parameter whose value is a list of `least` to `most` numbers.
  void numbers(const char* key, std::vector<unsigned>& member, std::size_t least, std::size_t most,
               Range each, Doc doc);
  template <std::size_t N>
  void numbers(const char* key, std::array<unsigned, N>& member, Range each, Doc doc) {
    leaf({key, "list of integers", "", std::to_string(N) + " of " + each.text(), doc,
          [&member, each](const ValueNode& node) {
            const std::vector<unsigned> read = read_numbers(node, N, N, each);
            std::copy(read.begin(), read.end(), member.begin());
          },
          [&member] {
            return format_numbers({member.begin(), member.end()});
          }});
  }
  /// Describes a set of numbers 0 … 7, stored as bits; the word `absent` stands for no value.
  void bits(const char* key, std::optional<std::uint8_t>& member, const char* absent, Doc doc);
  void bits(const char* key, std::uint8_t& member, Doc doc);
  /// Describes a parameter whose value is a map from numbers to numbers.
  void number_map(const char* key, std::map<unsigned, unsigned>& member, Range keys, Range values,
                  Doc doc);

  /// Describes settings of other parameters by path: `{switch.ecn.kmax: 200KB}`. The visitor stores
  /// the settings as written; the code that applies the settings checks paths and values.
  void settings(const char* key, ValueNode& member, Doc doc);

  /// Describes a section: the parameters that `body` names have paths below `key`.
  template <class Body>
  void section(const char* key, Doc doc, Body body) {
    if (!enter(key, doc)) return;
    body();
    leave();
  }

  /// Describes parameters that have a meaning only if `applies` is true; `condition` is the text
  /// for the user.
  template <class Body>
  void when(bool applies, const char* condition, Body body) {
    if (!begin_condition(applies, condition)) return;
    body();
    end_condition();
  }

  /// Describes a list of sections; `body` describes one element. A list in the input replaces the
  /// whole default list.
  template <class T, class Body>
  void list(const char* key, std::vector<T>& member, Doc doc, Body body) {
    const ListPlan plan = begin_list(key, doc, member.size());
    if (plan.replace) member.assign(plan.size, T{});
    for (std::size_t i = 0; i < plan.size; ++i) {
      enter_item(std::to_string(i), i);
      body(member[i]);
      leave();
    }
    end_list();
  }

  /// Describes a map from numbers below `limit` to sections of parameters. A new element starts as
  /// a copy of `initial`.
  template <class T, class Body>
  void map(const char* key, std::map<unsigned, T>& member, unsigned limit, const T& initial,
           Doc doc, Body body) {
    std::vector<unsigned> keys;
    for (const auto& entry : member) keys.push_back(entry.first);
    keys = begin_map(key, doc, keys, limit);
    std::size_t i = 0;
    for (const unsigned k : keys) {
      enter_item(std::to_string(k), i++);
      body(member.emplace(k, initial).first->second);
      leave();
    }
    end_list();
  }

  /// True while the visitor reads input into members whose condition applies; presets take effect
  /// only then.
  virtual bool reading() const { return false; }

  /// Describes a map from rates, in whole Mb/s, to sections: `{100Gbps: {…}}`.
  template <class T, class Body>
  void rate_map(const char* key, std::map<unsigned, T>& member, Doc doc, Body body) {
    std::vector<unsigned> keys;
    for (const auto& entry : member) keys.push_back(entry.first);
    keys = begin_map(key, doc, keys, kRates);
    std::size_t i = 0;
    for (const unsigned mbps : keys) {
      enter_item(QuantityText<BitRate>::format(BitRate(mbps * std::uint64_t{1'000'000})), i++);
      body(member.emplace(mbps, T{}).first->second);
      leave();
    }
    end_list();
  }

 protected:
  /// Value of the argument `limit` of begin_map() for maps whose keys are rates. begin_map()
  /// returns such keys in Mb/s.
  static constexpr unsigned kRates = 0;
  struct ListPlan {
    std::size_t size = 0;
    bool replace = false;
  };
  virtual void leaf(const Leaf& leaf) = 0;
  virtual void follow(bool /*in_force*/, const char* /*rule*/, const Follow& /*set*/) {}
  virtual bool enter(const std::string& key, const Doc& doc) = 0;
  virtual void enter_item(const std::string& key, std::size_t index) = 0;
  virtual void leave() = 0;
  virtual ListPlan begin_list(const std::string& key, const Doc& doc, std::size_t size) = 0;
  virtual std::vector<unsigned> begin_map(const std::string& key, const Doc& doc,
                                          const std::vector<unsigned>& keys, unsigned limit) = 0;
  virtual void end_list() = 0;
  virtual bool begin_condition(bool applies, const char* condition) = 0;
  virtual void end_condition() = 0;
  /// Converts a path that the user wrote to an absolute path.
  virtual std::string resolve(const ValueNode& node) const { return node.scalar; }

  static const std::string& scalar_of(const ValueNode& node, const char* type);
  static bool is_word(const ValueNode& node, const char* word);
  [[noreturn]] static void refuse_choice(const ValueNode& node,
                                         const std::vector<std::string>& names);
  [[noreturn]] static void refuse_range(const ValueNode& node, const Range& range);
  static std::vector<unsigned> read_numbers(const ValueNode& node, std::size_t least,
                                            std::size_t most, const Range& each);
  static std::string format_numbers(const std::vector<unsigned>& numbers);
  static std::uint8_t read_bits(const ValueNode& node);
  static std::string format_bits(std::uint8_t bits);

  template <class T>
  static T parse_at(const ValueNode& node) {
    const std::string& text = scalar_of(node, QuantityText<T>::kTypeName);
    try {
      return QuantityText<T>::parse(text);
    } catch (const QuantityError& e) {
      throw ConfigError(node.place, in_quotes(text) + ": " + e.what());
    }
  }

  template <class T>
  static T read_quantity(const ValueNode& node, const Range& range) {
    const T value = parse_at<T>(node);
    const bool low = !range.min.text.empty() && less(value, QuantityText<T>::parse(range.min.text));
    const bool high =
        !range.max.text.empty() && less(QuantityText<T>::parse(range.max.text), value);
    if (low || high) refuse_range(node, range);
    return value;
  }

 private:
  template <class T>
  static bool less(const T& a, const T& b) {
    return a < b;
  }
  static bool less(Frequency a, Frequency b) { return a.hertz < b.hertz; }
};

}  // namespace dcc
