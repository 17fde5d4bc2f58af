// Fuzz test of the configuration reader with mutated files. The reader accepts a file or refuses it
// with a message of one line. It never crashes, hangs, or accepts a configuration that cannot be
// written and read back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "bad_configs.h"
#include "config/effective_yaml.h"
#include "config/yaml_reader.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> corpus() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(DCC_CONFIGS)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (BadConfig& bad : bad_configs()) texts.push_back(std::move(bad.text));
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return texts;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string mutate(std::string text, const std::vector<std::string>& others) {
    for (std::size_t n = 1 + below(4); n > 0; --n) {
      const std::size_t at = below(text.size() + 1);
      switch (below(7)) {
        case 0:
          text.insert(at, 1, static_cast<char>(below(256)));
          break;
        case 1:
          if (!text.empty()) text[at % text.size()] = static_cast<char>(below(256));
          break;
        case 2:
          text.erase(at, below(12));
          break;
        case 3:
          text.insert(at, token());
          break;
        case 4:
          text.insert(at, text.substr(below(text.size() + 1), below(40)));
          break;
        case 5: {
          const std::string& other = others[below(others.size())];
          text.insert(at, other.substr(below(other.size() + 1), below(60)));
          break;
        }
        case 6:
          flip_digit(text);
          break;
      }
    }
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  const char* token() {
    static constexpr const char* kTokens[] = {"[",
                                              "]",
                                              "{",
                                              "}",
                                              ":",
                                              ": ",
                                              ",",
                                              "- ",
                                              "? ",
                                              "&a ",
                                              "*a",
                                              "!!",
                                              "|\n",
                                              ">\n",
                                              "\"",
                                              "'",
                                              "#",
                                              "\n",
                                              "\t",
                                              "---",
                                              "...",
                                              "%YAML 1.2\n",
                                              "<<",
                                              "~",
                                              "..",
                                              "-1",
                                              "1e999",
                                              "0x7f",
                                              "99999999999999999999",
                                              "1/0",
                                              "%",
                                              "\xEF\xBB\xBF",
                                              "us",
                                              "Gbps",
                                              "true",
                                              "null",
                                              "\\u0000",
                                              "\xC3",
                                              "&a [*a]",
                                              "@",
                                              "`"};
    return kTokens[below(std::size(kTokens))];
  }

  void flip_digit(std::string& text) {
    for (std::size_t tries = 0; tries < 50 && !text.empty(); ++tries) {
      char& c = text[below(text.size())];
      if (c < '0' || c > '9') continue;
      c = static_cast<char>('0' + below(10));
      return;
    }
  }

  std::mt19937_64 random_;
};

TEST(ReaderFuzz, AcceptsOrRefusesWithOneLine) {
  const char* const wanted = std::getenv("DCC_FUZZ_ROUNDS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : 20'000;
  const std::vector<std::string> texts = corpus();
  ASSERT_GE(texts.size(), 30u);
  Mutator mutator(20'240'601);
  int accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string text =
        mutator.mutate(texts[static_cast<std::size_t>(round) % texts.size()], texts);
    try {
      const LoadedConfig loaded = load_config_text(text, "fuzz", DCC_CONFIGS);
      ++accepted;
      const std::string written = effective_yaml(loaded.config);
      ASSERT_EQ(effective_yaml(load_config_text(written, "again").config), written) << text;
    } catch (const ConfigError& e) {
      const std::string what = e.what();
      ASSERT_EQ(what.rfind("fuzz", 0), 0u) << what << "\nfrom:\n" << text;
      ASSERT_EQ(what.find('\n'), std::string::npos) << what;
    }
  }
  // The mutations must produce both accepted and refused configurations, or the test checks
  // nothing.
  EXPECT_GT(accepted, rounds / 100);
  EXPECT_LT(accepted, rounds);
}

}  // namespace
}  // namespace dcc::vp
