// Distributions of flow sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/random.h"
#include "units.h"

namespace dcc {

/// A cumulative distribution of flow sizes, linear between its points. The class uses integers
/// only, so every machine draws the same sizes.
class FlowSizes {
 public:
  /// Names of the built-in distributions, which are the files of configs/data: "websearch" (DCTCP,
  /// SIGCOMM'10, figure 4) and "fbhadoop" (Facebook's Hadoop cluster, SIGCOMM'15, figure 6), both
  /// as tabulated by the HPCC authors; "homa_w1" … "homa_w5", the message sizes of the Homa paper.
  static std::vector<std::string> names();
  /// A built-in distribution of flow sizes, or the distribution in the file with the path `name`.
  /// Throws TrafficError.
  static FlowSizes named_or_file(const std::string& name);
  /// Parses a distribution from lines of "bytes percent", both ascending, from 0 to 100 percent
  /// with up to six decimals. Blank lines and text after '#' are skipped. Throws TrafficError with
  /// name and line of the fault.
  static FlowSizes parse(const std::string& text, const std::string& name);

  /// Draws a random flow size of at least one byte.
  Bytes draw(RandomStream& random) const;
  /// Mean flow size in millionths of a byte, rounded down.
  std::uint64_t mean_micro_bytes() const;

 private:
  struct Point {
    Bytes bytes = 0;
    std::uint64_t micro_percent = 0;
  };
  std::vector<Point> points_;
};

}  // namespace dcc
