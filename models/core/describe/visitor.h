// The walk over a module's parameters. A describe() function names each of them once: key, member,
// range, meaning, source, and whether it may change during a run; the member's initialiser is the
// default. Whoever visits decides what to do with it: read text into it, list it, write it out.
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

/// One end of a range: text as the user would write it, or a constant of the module's own.
struct Bound {
  Bound() = default;  // none
  Bound(const char* as_written) : text(as_written) {}
  template <class T, class = decltype(QuantityText<T>::kTypeName)>
  Bound(const T& value) : text(QuantityText<T>::format(value)) {}
  std::string text;
};

/// Bounds, both included; empty: none.
struct Range {
  Bound min;
  Bound max;
  std::string text() const;
};

/// For Doc: the module takes a new value at any time of a run, not only before it.
constexpr bool kRuntime = true;

/// What a parameter means, where its default or rule comes from, and whether it may change while a
/// run goes on.
struct Doc {
  const char* meaning = "";
  const char* source = "";
  bool runtime = false;
};

/// One parameter, type erased.
struct Leaf {
  std::string key;
  std::string type;
  std::string unit;  // those that its text may have; empty: none
  std::string range;
  Doc doc;
  std::function<void(const ValueNode&)> read;  // throws ConfigError or QuantityError
  std::function<std::string()> show;           // text that `read` accepts
};

class ParameterVisitor {
 public:
  virtual ~ParameterVisitor() = default;

  /// A single value of one of the types of QuantityText.
  template <class T>
  void field(const char* key, T& member, Range range, Doc doc) {
    leaf({key, QuantityText<T>::kTypeName, QuantityText<T>::kUnits, range.text(), doc,
          [&member, range](const ValueNode& node) { member = read_quantity<T>(node, range); },
          [&member] { return QuantityText<T>::format(member); }});
  }

  /// A quantity of type T that the module keeps in a narrower integer.
  template <class T, class Narrow>
  void field_as(const char* key, Narrow& member, Range range, Doc doc) {
    leaf({key, QuantityText<T>::kTypeName, QuantityText<T>::kUnits, range.text(), doc,
          [&member, range](const ValueNode& node) {
            member = static_cast<Narrow>(read_quantity<T>(node, range));
          },
          [&member] { return QuantityText<T>::format(static_cast<T>(member)); }});
  }

  /// The same, or the word `absent`.
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

  /// One of an enumeration's names.
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
  /// One of some names.
  void one_of(const char* key, std::string& member, const std::vector<std::string>& names, Doc doc);

  /// Free text, one line, at most 200 characters.
  void text(const char* key, std::string& member, Doc doc);
  /// A file that must exist; relative to the configuration's folder. `words` need no file.
  void path(const char* key, std::string& member, const std::vector<std::string>& words, Doc doc);
  /// Hosts; empty: the word `all`.
  void hosts(const char* key, HostList& member, Doc doc) {
    numbers_or_all(key, member, "hosts", doc);
  }
  /// Numbers below 65 536, as hosts are written; empty: the word `all`. `what`: of what.
  void numbers_or_all(const char* key, std::vector<unsigned>& member, const char* what, Doc doc);
  /// A name or a list of names; empty: the word `all`.
  void names(const char* key, std::vector<std::string>& member, const char* all, Doc doc);
  /// A list of small numbers, of `least` to `most` elements.
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
  /// Some of the numbers 0 … 7, kept as bits; empty: the word `absent`.
  void bits(const char* key, std::optional<std::uint8_t>& member, const char* absent, Doc doc);
  void bits(const char* key, std::uint8_t& member, Doc doc);
  /// A map of small numbers to small numbers.
  void number_map(const char* key, std::map<unsigned, unsigned>& member, Range keys, Range values,
                  Doc doc);

  /// Other parameters by path, each with a value: `{switch.ecn.kmax: 200KB}`. Kept as written; what
  /// the paths and values mean is for who applies them.
  void settings(const char* key, ValueNode& member, Doc doc);

  /// Parameters under `key`.
  template <class Body>
  void section(const char* key, Doc doc, Body body) {
    if (!enter(key, doc)) return;
    body();
    leave();
  }

  /// Parameters that mean something only when `applies`; `condition` says when, for people.
  template <class Body>
  void when(bool applies, const char* condition, Body body) {
    if (!begin_condition(applies, condition)) return;
    body();
    end_condition();
  }

  /// A list of sections; `body` describes one element. A list in the YAML replaces the whole.
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

  /// A map from numbers below `limit` to sections; new elements start as `initial`.
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

  /// True while YAML is read into members that mean something here (then presets take effect).
  virtual bool reading() const { return false; }

 protected:
  struct ListPlan {
    std::size_t size = 0;
    bool replace = false;
  };
  virtual void leaf(const Leaf& leaf) = 0;
  virtual bool enter(const std::string& key, const Doc& doc) = 0;
  virtual void enter_item(const std::string& key, std::size_t index) = 0;
  virtual void leave() = 0;
  virtual ListPlan begin_list(const std::string& key, const Doc& doc, std::size_t size) = 0;
  virtual std::vector<unsigned> begin_map(const std::string& key, const Doc& doc,
                                          const std::vector<unsigned>& keys, unsigned limit) = 0;
  virtual void end_list() = 0;
  virtual bool begin_condition(bool applies, const char* condition) = 0;
  virtual void end_condition() = 0;
  /// A path as the user wrote it, made absolute.
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
