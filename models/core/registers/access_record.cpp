#include "registers/access_record.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace dcc::regs {

bool AccessRecord::failed() const { return std::strcmp(response, "ok") != 0; }

std::string AccessRecord::data_text(std::uint32_t most) const {
  const bool number = length <= 4;
  std::string text = number ? "0x" : "";
  const std::uint32_t shown = std::min(length, most);
  for (std::uint32_t i = 0; i < shown; ++i) {
    char byte[4];
    std::snprintf(byte, sizeof byte, "%02x", data[number ? length - 1 - i : i]);
    text += byte;
  }
  if (length > most) text += "... " + std::to_string(length) + " bytes";
  return text;
}

std::string to_text(const AccessRecord& access) {
  char head[40];
  std::snprintf(head, sizeof head, "%10" PRId64 ".%03d ns  ", access.begin.count / 1000,
                static_cast<int>(access.begin.count % 1000));
  char address[24];
  std::snprintf(address, sizeof address, "0x%08" PRIx64 " ", access.address);
  return head + access.path + (access.write ? "  WR " : "  RD ") + address + access.name + " = " +
         access.data_text() + (access.failed() ? "  ERROR " : "  ") + access.response;
}

}  // namespace dcc::regs
