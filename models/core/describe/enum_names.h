// Names of enumerators as a configuration writes them, in the order in which help texts list them.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace dcc {

/// Table of an enumeration's names. DCC_ENUM_NAMES defines a specialisation with `kNames`, pairs of
/// enumerator and name.
template <class E>
struct EnumTable;

template <class E, std::size_t N>
constexpr std::array<std::pair<E, const char*>, N> enum_names(
    const std::pair<E, const char*> (&names)[N]) {
  std::array<std::pair<E, const char*>, N> out{};
  for (std::size_t i = 0; i < N; ++i) {
    out[i].first = names[i].first;
    out[i].second = names[i].second;
  }
  return out;
}

/// Use in namespace dcc after the enumeration: DCC_ENUM_NAMES(Kind, {Kind::kOne, "one"}, …);
#define DCC_ENUM_NAMES(E, ...)                                   \
  template <>                                                    \
  struct EnumTable<E> {                                          \
    static constexpr auto kNames = enum_names<E>({__VA_ARGS__}); \
  }

/// The name of an enumerator as a configuration writes it.
template <class E>
constexpr const char* name_of(E value) {
  for (const auto& entry : EnumTable<E>::kNames) {
    if (entry.first == value) return entry.second;
  }
  return "?";
}

/// All names of an enumeration as a list for the user: "dcc | dcqcn | …".
template <class E>
std::string names_of_all() {
  std::string out;
  for (const auto& entry : EnumTable<E>::kNames) {
    out += (out.empty() ? "" : " | ") + std::string(entry.second);
  }
  return out;
}

}  // namespace dcc
