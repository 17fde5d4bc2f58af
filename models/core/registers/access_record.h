// The record of a finished access to memory-mapped hardware, for transaction traces.
#pragma once

#include <cstdint>
#include <string>

#include "units.h"

namespace dcc::regs {

/// A finished access: initiator, target, time and result. A trace may keep the record.
struct AccessRecord {
  PicoSeconds begin{};  // the initiator's own time, which may be ahead of the platform's
  PicoSeconds end{};    // end of the access, with the latencies of everything on the way
  std::string path;     // initiator's socket: "host1.cpu"
  std::string target;   // the target's name: "controller"; empty if the address is unmapped
  bool write = false;
  std::uint64_t address = 0;           // byte address on the bus of the initiator
  std::string name;                    // register, or place in memory: "dcc.CTRL", "ram + 0x10"
  const std::uint8_t* data = nullptr;  // bytes in the order of addresses; valid in the call only
  std::uint32_t length = 0;            // bytes
  /// "ok", or what was wrong in the words of regs::to_string(AccessResult): unmapped, misaligned,
  /// read_only, narrow, out_of_range; and write_only, burst, no_answer.
  const char* response = "ok";

  bool failed() const;
  /// The data as text: a word as a number ("0x00000001"), longer data byte by byte, at most `most`
  /// bytes.
  std::string data_text(std::uint32_t most = 16) const;
};

/// "      1250.000 ns  host1.cpu  WR 0x40000010 dcc.CTRL = 0x00000001  ok"
std::string to_text(const AccessRecord& access);

}  // namespace dcc::regs
