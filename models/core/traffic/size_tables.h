// The built-in distributions of flow sizes. CMake generates the tables from configs/data/*.cdf.
#pragma once

#include <cstddef>

namespace dcc {

struct SizeTable {
  const char* name;
  const char* text;  // the distribution of flow sizes as text that FlowSizes::parse reads
};

extern const SizeTable kSizeTables[];
extern const std::size_t kSizeTableCount;

}  // namespace dcc
