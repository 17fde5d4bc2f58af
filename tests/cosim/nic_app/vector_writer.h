// Golden vectors of the application block: what its pins carry in each cycle, for tb_nic_block.v.
#pragma once

#include <Vnic_app.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <string>

namespace dcc {

/// Writes the pins of one block as lines "cycles groups value...", all hexadecimal. A value is
/// there for each bit of `groups`: the pins of that group from now on. Groups 0 to 3 are inputs, 4
/// to 7 outputs; in outputs what a valid bit of 0 disqualifies is 0. 0 cycles: a reset, before
/// which all inputs become 0.
class VectorWriter {
 public:
  explicit VectorWriter(const std::string& path) : file_(path) {}
  ~VectorWriter() { flush(); }
  VectorWriter(const VectorWriter&) = delete;
  VectorWriter& operator=(const VectorWriter&) = delete;

  void reset();
  /// Takes the pins before a clock edge.
  void cycle(const Vnic_app& pins);

 private:
  static constexpr unsigned kGroups = 8;
  void flush();

  std::ofstream file_;
  std::array<std::string, kGroups> written_, now_;
  std::uint64_t cycles_ = 0;
};

}  // namespace dcc
