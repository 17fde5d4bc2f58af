// The C library allocates from a region of memory for which large pages were requested.
#include "build/large_heap.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "small_platform.h"

namespace dcc::vp {
namespace {

/// True if large pages were requested for the memory at `address`.
bool asked_for_large_pages(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) inside = begin <= at && at < end;
    if (inside && line.rfind("VmFlags:", 0) == 0) return line.find(" hg") != std::string::npos;
  }
  return false;
}

std::string after_preferring(std::size_t bytes) {
  return in_a_process([bytes] {
    if (bytes != 0) prefer_large_pages(bytes);
    std::size_t large = 0;
    for (int i = 0; i < 24; ++i) {  // blocks of 1 MiB
      void* const piece = std::malloc(std::size_t{1} << 20);
      if (piece == nullptr) return std::string("no memory");
      large += asked_for_large_pages(piece) ? 1 : 0;
    }
    return std::to_string(large);
  });
}

TEST(LargeHeap, WhatIsTakenNextLiesInLargePages) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    GTEST_SKIP() << "this system has no such pages";
  }
  // All blocks are in large pages, except those that begin before the first large page.
  EXPECT_GE(std::stoi(after_preferring(std::size_t{64} << 20)), 21);
  // Tests a region of more than 2 GiB, as for networks of more than 21 845 hosts. Untouched memory
  // costs nothing.
  EXPECT_GE(std::stoi(after_preferring(std::size_t{3} << 30)), 21);
  EXPECT_EQ(after_preferring(0), "0") << "nobody asks by itself";
}

}  // namespace
}  // namespace dcc::vp
