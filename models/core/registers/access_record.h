// The record of a finished access to memory-mapped hardware, for transaction traces.
#pragma once

#include <cstdint>
#include <string>

#include "units.h"

namespace dcc::regs {

/// A finished access: initiator, target, time and result. A trace may keep the record.
struct AccessRecord {
  // start of the access in the initiator's local time, which may be ahead of the platform's time
  PicoSeconds begin{};
  PicoSeconds end{};  // end of the access, including the latencies of all components on its path
  std::string path;   // name of the initiator's socket, for example "host1.cpu"
  // name of the target, for example "controller"; empty if the address is unmapped
  std::string target;
  bool write = false;
  std::uint64_t address = 0;  // byte address on the initiator's bus
  std::string name;           // register or memory location accessed: "dcc.CTRL", "ram + 0x10"
  const std::uint8_t* data = nullptr;  // data bytes in address order; valid only during the call
  std::uint32_t length = 0;            // number of data bytes of the access
  /// Result of the access: "ok", or an error in the words of regs::to_string(AccessResult):
  /// unmapped, misaligned, read_only, narrow, out_of_range; and write_only, burst, no_answer.
  const char* response = "ok";

  bool failed() const;
  /// The data of the access as text: a word as a number ("0x00000001"), longer data byte by byte.
  /// At most `most` bytes appear.
  std::string data_text(std::uint32_t most = 16) const;
};

/// Formats an access: "      1250.000 ns  host1.cpu  WR 0x40000010 dcc.CTRL = 0x00000001  ok"
std::string to_text(const AccessRecord& access);

}  // namespace dcc::regs
