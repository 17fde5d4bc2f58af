// Fuzzes the readers of flow traces (plain or gzip) and of tables of flow sizes. The first byte of
// the input chooses the reader.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "guided.h"
#include "sim/random.h"
#include "traffic/flow_sizes.h"
#include "traffic/trace_file.h"
#include "traffic/traffic_spec.h"

namespace {
void trace(const std::uint8_t* data, std::size_t size) {
  // Uses a file in memory, because zlib needs a path.
  static const int file = memfd_create("trace", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  DCC_REQUIRE(ftruncate(file, 0) == 0);
  DCC_REQUIRE(pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  for (const dcc::TraceFlow& flow : dcc::read_trace(path)) {
    DCC_REQUIRE(flow.bytes >= 1 && flow.bytes <= std::int64_t{1} << 40);
    DCC_REQUIRE(flow.priority <= 255 && flow.line > 1 && flow.start.count >= 0);
  }
}

void sizes(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const dcc::FlowSizes table = dcc::FlowSizes::parse(text, "fuzz");
  dcc::RandomStream random(1, "fuzz");
  for (int i = 0; i < 16; ++i) DCC_REQUIRE(table.draw(random) >= 1);
  table.mean_micro_bytes();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    if (data[0] == 's') {
      sizes(data + 1, size - 1);
    } else {
      trace(data + 1, size - 1);
    }
  } catch (const dcc::TrafficError& error) {
    const std::string what = error.what();
    DCC_REQUIRE(what.find(':') != std::string::npos);
    DCC_REQUIRE(what.find('\n') == std::string::npos);
  }
  return 0;
}
