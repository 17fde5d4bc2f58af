#include "traffic/trace_file.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdio>
#include <fstream>
#include <random>

#include "traffic/traffic_spec.h"

namespace dcc {
namespace {

class TraceFile : public ::testing::Test {
 protected:
  std::string path_ = ::testing::TempDir() + "trace_" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  void TearDown() override { std::remove(path_.c_str()); }

  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  std::string error_of(const std::string& text) {
    write(text);
    try {
      read_trace(path_);
    } catch (const TrafficError& error) {
      const std::string what = error.what();
      return what.substr(0, path_.size()) == path_ ? what.substr(path_.size()) : what;
    }
    return "";
  }
};

constexpr const char* kTwo = "2\n56 13 3 100 621 2.000000039\n41 50 1 100 224 2.014728140\n";

void expect_two(const std::vector<TraceFlow>& flows) {
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].from, 56u);
  EXPECT_EQ(flows[0].to, 13u);
  EXPECT_EQ(flows[0].priority, 3u);
  EXPECT_EQ(flows[0].bytes, 621);
  EXPECT_EQ(flows[0].start, PicoSeconds(2'000'000'039'000));
  EXPECT_EQ(flows[0].line, 2);
  EXPECT_EQ(flows[1].priority, 1u);
  EXPECT_EQ(flows[1].start, PicoSeconds(2'014'728'140'000));
}

TEST_F(TraceFile, ReadsPlainText) {
  write(kTwo);
  expect_two(read_trace(path_));
  write(std::string(kTwo) + "\n \r\n");
  expect_two(read_trace(path_));
}

TEST_F(TraceFile, IsReadOnceForAllWhoAsk) {
  write(kTwo);
  TraceStore store;
  const Trace& trace = store.at(path_);
  EXPECT_TRUE(trace.in_order);
  expect_two(trace.flows);
  write("1\n1 2 3 100 7 9\n");
  EXPECT_EQ(&store.at(path_), &trace);
  expect_two(trace.flows);
}

TEST_F(TraceFile, OutOfOrderIsNoticed) {
  write("3\n1 2 3 100 7 1\n1 2 3 100 7 2\n1 2 3 100 7 1.9\n");
  TraceStore store;
  EXPECT_FALSE(store.at(path_).in_order);
  EXPECT_EQ(store.at(path_).flows.size(), 3u);
}

TEST_F(TraceFile, IsNotHeldWhenItIsLong) {
  const auto lines = [](std::size_t count, const char* last) {
    std::string text = std::to_string(count) + "\n";
    for (std::size_t i = 1; i < count; ++i) text += "1 2 3 100 7 1\n";
    return text + last;
  };
  write(lines(TraceStore::kMaxKept, "1 2 3 100 7 1\n"));
  EXPECT_EQ(TraceStore().at(path_).flows.size(), TraceStore::kMaxKept);
  write(lines(TraceStore::kMaxKept + 1, "1 2 3 100 7 0.5\n"));
  TraceStore store;
  EXPECT_FALSE(store.at(path_).kept);
  EXPECT_TRUE(store.at(path_).flows.empty());
  EXPECT_FALSE(store.at(path_).in_order) << "read to its end all the same";
  write(lines(TraceStore::kMaxKept + 1, "1 2 x\n"));
  EXPECT_THROW(TraceStore().at(path_), TrafficError);
}

TEST_F(TraceFile, ReadsGzip) {
  gzFile file = gzopen(path_.c_str(), "wb");
  gzputs(file, kTwo);
  gzclose(file);
  expect_two(read_trace(path_));
}

TEST_F(TraceFile, ReadsTheShippedTrace) {
  const auto flows = read_trace(std::string(DCC_SOURCE_DIR) + "/configs/data/fb60x1000.flow.gz");
  ASSERT_EQ(flows.size(), 60'000u);
  Bytes sum = 0;
  for (const TraceFlow& flow : flows) sum += flow.bytes;
  EXPECT_NEAR(static_cast<double>(sum), 7.15304e9, 1e4);  // the sum was computed with awk
}

TEST_F(TraceFile, ADamagedArchiveIsAnError) {
  gzFile file = gzopen(path_.c_str(), "wb");
  std::string text = "5000\n";
  std::mt19937 noise(1);
  for (int i = 0; i < 5000; ++i)
    text += "1 2 3 100 " + std::to_string(1 + noise() % 99999) + " 2.5\n";
  gzputs(file, text.c_str());
  gzclose(file);
  std::ifstream in(path_, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_NE(error_of(whole.substr(0, whole.size() / 2)).find("damaged"), std::string::npos);
  std::string flipped = whole;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x55);
  EXPECT_NE(error_of(flipped), "");
}

TEST_F(TraceFile, ReadsExponentsUnitsAndComments) {
  struct Row {
    const char* bytes;
    const char* start;
    Bytes size;
    std::int64_t picoseconds;
  };
  const Row rows[] = {{"1e6", "2e-6", 1'000'000, 2'000'000},
                      {"1.5E3", "1.5us", 1500, 1'500'000},
                      {"64KiB", "250ns", 65'536, 250'000},
                      {"2MB", "0.25ms", 2'000'000, 250'000'000},
                      {"10000e-3B", "7ps", 10, 7},
                      {"3", "1e3ps", 3, 1000},
                      {"3", "2s", 3, 2'000'000'000'000},
                      // This time was printed by a program that adds in binary floating point. It
                      // is rounded to picoseconds.
                      {"3", "0.30000000000000004", 3, 300'000'000'000},
                      {"3", "6.0000000000006", 3, 6'000'000'000'001},
                      {"3", "1e-40", 3, 0},
                      {"3", "0.000000000000000000000000001e24us", 3, 1'000}};
  for (const Row& row : rows) {
    write(std::string("# flows\r\n\n1 # one\r\n0 1 3 70000 ") + row.bytes + " " + row.start +
          "# last\r\n#\n");
    const auto flows = read_trace(path_);
    ASSERT_EQ(flows.size(), 1u);
    EXPECT_EQ(flows[0].bytes, row.size) << row.bytes;
    EXPECT_EQ(flows[0].start, PicoSeconds(row.picoseconds)) << row.start;
    EXPECT_EQ(flows[0].line, 4);
  }
}

TEST_F(TraceFile, ErrorsNameTheLine) {
  const std::string count = ":1: expected the number of flows, 0 … 50000000, alone on its line";
  EXPECT_EQ(error_of(""), ":1: the file is empty");
  EXPECT_EQ(error_of("# nothing\n"), ":2: the file is empty");
  EXPECT_EQ(error_of("many\n"), count + ", not 'many'");
  EXPECT_EQ(error_of("99999999\n"), count + ", not '99999999'");
  EXPECT_EQ(error_of("Nodes 4\n"),
            count + ", not 'Nodes' (dccvp import htsim reads connection matrices)");
  EXPECT_EQ(error_of("1\nx 2 3 4 5 6\n"),
            ":2: expected the source, a host number, as first field, not 'x'");
  EXPECT_EQ(error_of("1\n1 -2 3 4 5 6\n"),
            ":2: expected the destination, a host number, as second field, not '-2'");
  EXPECT_EQ(error_of("1\n1 2 300 4 5 6\n"),
            ":2: expected the priority, 0 … 255, as third field, not '300'");
  const std::string bytes = ":2: expected the bytes, 1 … 2^40, as fifth field, not ";
  for (const char* const wrong :
       {"0", "1.5", "1e-3", "1e13", "5us", "1e", "0e9", "1e99999999999"}) {
    EXPECT_EQ(error_of("1\n1 2 3 4 " + std::string(wrong) + " 6\n"), bytes + "'" + wrong + "'");
  }
  const std::string start = ":2: expected the start, 0 … 10^6 s, as sixth field, not ";
  for (const char* const wrong : {".", "-1", "1e7", "1min", "1e400", "0x1", "nan"}) {
    EXPECT_EQ(error_of("1\n1 2 3 4 5 " + std::string(wrong) + "\n"), start + "'" + wrong + "'");
  }
  EXPECT_EQ(error_of("1\n1 2 3 4 5\n"),
            ":2: expected the start, 0 … 10^6 s, as sixth field, but the line ends");
  EXPECT_EQ(error_of("1\n1 2 3 4 5 6 7\n"), ":2: expected nothing after the sixth field, not '7'");
  EXPECT_EQ(error_of("1\n1 2 3 4 5 6\n1 2 3 4 5 6\n"),
            ":3: more flows than the 1 the first line announces (dccvp import hpcc ignores them)");
  EXPECT_EQ(error_of("3\n1 2 3 4 5 6\n"), ":3: the file ends after 1 of 3 flows");
  EXPECT_EQ(error_of("1\n" + std::string(70000, '1') + "\n"),
            ":2: not a line of text of at most 65534 characters");
  EXPECT_EQ(error_of(std::string("1\n1 2 3 4 5 6\0 7\n", 17)),
            ":2: not a line of text of at most 65534 characters");
  EXPECT_THROW(read_trace("/nonexistent"), TrafficError);
  EXPECT_THROW(read_trace("/"), TrafficError);
}

TEST_F(TraceFile, RubbishIsAnErrorAndNeverACrash) {
  std::mt19937 noise(7);
  for (int round = 0; round < 200; ++round) {
    std::string text = kTwo;
    for (int change = 0; change < 4; ++change) {
      text[noise() % text.size()] = static_cast<char>(noise());
    }
    write(text);
    try {
      EXPECT_LE(read_trace(path_).size(), 2u);
    } catch (const TrafficError& error) {
      EXPECT_EQ(std::string(error.what()).find(path_ + ":"), 0u);
    }
  }
}

}  // namespace
}  // namespace dcc
