// The reader must refuse every configuration of bad_configs.txt with the error message that the
// table lists.
#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>

#include "bad_configs.h"
#include "config/yaml_reader.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

std::string error_of_file(const std::string& file) {
  try {
    load_config(file);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "accepted";
}

std::string error_of_text(const std::string& text) {
  try {
    load_config_text(text, "t");
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(BadConfigs, EachIsRefusedWithItsPlace) {
  const fs::path folder = fs::path(testing::TempDir()) / ("bad_configs" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::vector<BadConfig> table = bad_configs();
  EXPECT_GE(table.size(), 140u);
  for (const BadConfig& bad : table) {
    const std::string file = (folder / (bad.name + ".yaml")).string();
    std::ofstream(file, std::ios::binary) << bad.text;
    const std::string error = error_of_file(file);
    EXPECT_EQ(error.rfind(file + ":" + bad.message, 0), 0u)
        << "expected " << file << ":" << bad.message << "\n     got " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << "more than one line: " << error;
    EXPECT_LT(error.size(), file.size() + 300) << error;
  }
  fs::remove_all(folder);
}

TEST(BadConfigs, AMissingFileAFolderADevice) {
  EXPECT_EQ(error_of_file("/nowhere/at/all.yaml"), "/nowhere/at/all.yaml: no such file");
  EXPECT_EQ(error_of_file("/tmp"), "/tmp: is a folder, not a file");
  EXPECT_EQ(error_of_file("/dev/zero"), "/dev/zero: is neither a plain file nor a pipe");
}

TEST(BadConfigs, AMillionBracketsEndSoonAndCleanly) {
  // The limit on the time that the reader takes for the texts is a limit on processor time, because
  // other programs may load the machine.
  const std::clock_t begin = std::clock();
  for (const char* const opening : {"[", "{", "[[{", "- ", "? ", "a: [", "\n- "}) {
    std::string text;
    while (text.size() < 1'000'000) text += opening;
    const std::string error = error_of_text(text);
    EXPECT_EQ(error.rfind("t:", 0), 0u) << opening << ": " << error.substr(0, 200);
  }
  // Nests maps by indentation: each line is one level deeper than the line before.
  std::string text;
  for (int depth = 0; depth < 1000; ++depth) text += std::string(depth, ' ') + "a:\n";
  EXPECT_NE(error_of_text(text).find("nested more than 32 deep"), std::string::npos);
  EXPECT_LT(std::clock() - begin, 60 * CLOCKS_PER_SEC);
}

TEST(BadConfigs, HugeFilesAndHugeMaps) {
  EXPECT_EQ(error_of_text(std::string(5u << 20, 'x')), "t: larger than 4 MiB");
  std::string keys;
  for (int i = 0; i < 150'000; ++i) keys += "key" + std::to_string(i) + ": 1\n";
  EXPECT_NE(error_of_text(keys).find("more than 200000 values"), std::string::npos);
  std::string long_word = "seed: " + std::string(100'000, '1') + "\n";
  EXPECT_LT(error_of_text(long_word).size(), 200u);
}

}  // namespace
}  // namespace dcc::vp
