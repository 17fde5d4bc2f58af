// Reads and writes numbers in network byte order (big endian) and host memory order (little
// endian).
#pragma once

#include <cstdint>

namespace dcc {

inline void put_be16(std::uint8_t* at, std::uint32_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 8);
  at[1] = static_cast<std::uint8_t>(value);
}
inline void put_be24(std::uint8_t* at, std::uint32_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 16);
  put_be16(at + 1, value);
}
inline void put_be32(std::uint8_t* at, std::uint32_t value) {
  put_be16(at, value >> 16);
  put_be16(at + 2, value);
}
inline void put_be64(std::uint8_t* at, std::uint64_t value) {
  put_be32(at, static_cast<std::uint32_t>(value >> 32));
  put_be32(at + 4, static_cast<std::uint32_t>(value));
}

inline std::uint32_t get_be16(const std::uint8_t* at) {
  return static_cast<std::uint32_t>(at[0]) << 8 | at[1];
}
inline std::uint32_t get_be24(const std::uint8_t* at) {
  return static_cast<std::uint32_t>(at[0]) << 16 | get_be16(at + 1);
}
inline std::uint32_t get_be32(const std::uint8_t* at) {
  return get_be16(at) << 16 | get_be16(at + 2);
}
inline std::uint64_t get_be64(const std::uint8_t* at) {
  return std::uint64_t{get_be32(at)} << 32 | get_be32(at + 4);
}

inline void put_le64(std::uint8_t* at, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = static_cast<std::uint8_t>(value >> 8 * i);
}
inline std::uint64_t get_le64(const std::uint8_t* at) {
  std::uint64_t value = 0;
  for (int i = 8; i-- > 0;) value = value << 8 | at[i];
  return value;
}

}  // namespace dcc
