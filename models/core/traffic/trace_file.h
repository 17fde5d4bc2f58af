// Flow traces: a list of flows in a file, plain or compressed with gzip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "net/packet.h"
#include "units.h"

namespace dcc {

/// One line of a trace.
struct TraceFlow {
  HostId from = 0;
  HostId to = 0;
  unsigned priority = 0;  // the file's own notion, 0 … 255
  Bytes bytes = 0;
  PicoSeconds start{};
  int line = 0;
};

/// The HPCC authors' format: first line the number of flows, then one flow a line: source,
/// destination, priority, port, bytes, start in seconds (up to twelve decimals). Blank lines may
/// follow. Throws TrafficError with file:line for anything else.
std::vector<TraceFlow> read_trace(const std::string& path);

}  // namespace dcc
