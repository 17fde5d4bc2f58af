// Runs the program make_tables as a user does.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace make_tables_test {
namespace {

struct Outcome {
  int status;
  std::string text;
};

Outcome run(const std::string& arguments) {
  const std::string command = std::string(DCC_MAKE_TABLES) + " " + arguments + " 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  std::string text;
  while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), count);
  }
  return {WEXITSTATUS(pclose(pipe)), text};
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

TEST(MakeTables, PrintsEveryWriteOfTheDriver) {
  const Outcome out = run("--policy proportional --class 46=8:1000:50000 --rank 0=3 --g 320");
  ASSERT_EQ(out.status, 0) << out.text;
  const auto all = lines(out.text);
  EXPECT_EQ(all.size(), 5 * 64u + 257);
  EXPECT_NE(out.text.find("0x010b8 0x02000800 factor[46]\n"), std::string::npos);
  EXPECT_NE(out.text.find("0x01000 0x0010ffff factor[0]\n"), std::string::npos);
  EXPECT_NE(out.text.find("0x011b8 0x0003e800 floor[46]\n"), std::string::npos);
  EXPECT_NE(out.text.find("0x012b8 0x00c35000 ceiling[46]\n"), std::string::npos);
  EXPECT_NE(out.text.find("0x02010 0x0000f000 decrease[4]\n"), std::string::npos);
  EXPECT_NE(out.text.find("0x01404 0x0000fec0 decay_lo[1]\n"), std::string::npos);
}

TEST(MakeTables, PrintsHexForAMemoryImage) {
  const Outcome out = run("--format hex");
  ASSERT_EQ(out.status, 0);
  const auto all = lines(out.text);
  ASSERT_EQ(all.size(), 5 * 64u + 257 + 6);
  EXPECT_EQ(all[0], "// factor: 64 words");
  EXPECT_EQ(all[1], "10000100");
  EXPECT_EQ(all.back(), "00008000");
}

TEST(MakeTables, RefusesWhatItCannotDo) {
  for (const char* arguments :
       {"--policy fair", "--class 64=1", "--class 3", "--class 3=0.01", "--class 3=256",
        "--class 3=1:9:8", "--class 3=1:2:3:4", "--class 3=x", "--rank 3=4", "--g 65536", "--g -1",
        "--format xml", "--what", "--what 3", "--g"}) {
    const Outcome out = run(arguments);
    EXPECT_EQ(out.status, 2) << arguments;
    EXPECT_EQ(lines(out.text).size(), 1u) << arguments;
  }
}

}  // namespace
}  // namespace make_tables_test
