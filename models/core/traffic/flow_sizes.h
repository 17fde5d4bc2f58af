// Distributions of flow sizes, and drawing from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/random.h"
#include "units.h"

namespace dcc {

/// A cumulative distribution of sizes, linear between its points. Integers throughout, so every
/// machine draws the same sizes.
class FlowSizes {
 public:
  /// "websearch" (DCTCP, SIGCOMM'10, figure 4) and "fbhadoop" (Facebook's Hadoop cluster,
  /// SIGCOMM'15, figure 6), both as the HPCC authors tabulated them; "homa_w1" … "homa_w5", the
  /// messages of the Homa runs. All of them are the files of configs/data.
  static std::vector<std::string> names();
  /// One of these, or the path of a file. Throws TrafficError.
  static FlowSizes named_or_file(const std::string& name);
  /// Lines of "bytes percent", both ascending, from 0 to 100 percent (up to six decimals); blank
  /// lines and what follows a '#' are skipped. Throws TrafficError with name:line.
  static FlowSizes parse(const std::string& text, const std::string& name);

  /// At least one byte.
  Bytes draw(RandomStream& random) const;
  /// Mean size in millionths of a byte, rounded down.
  std::uint64_t mean_micro_bytes() const;

 private:
  struct Point {
    Bytes bytes = 0;
    std::uint64_t micro_percent = 0;
  };
  std::vector<Point> points_;
};

}  // namespace dcc
