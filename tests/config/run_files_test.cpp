#include "report/run_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "report/metrics_json.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

class RunFiles : public ::testing::Test {
 protected:
  RunFiles() : root_(fs::temp_directory_path() / ("dcc-run-files-" + std::to_string(::getpid()))) {
    fs::create_directories(root_);
  }
  ~RunFiles() override { fs::remove_all(root_); }

  static std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(root_), fs::directory_iterator()));
  }
  void write(OutputFolder& folder) {
    const Metrics metrics = compute_metrics(config_, results_);
    write_run_files(folder.stage(), config_, results_, metrics, metrics_json(results_, metrics));
  }

  fs::path root_;
  PlatformConfig config_;
  RunResults results_;
};

TEST_F(RunFiles, NothingIsThereBeforeTheCommit) {
  {
    OutputFolder folder(root_ / "a" / "run", false);
    EXPECT_EQ(entries(), 0u);
    write(folder);
    EXPECT_FALSE(fs::exists(root_ / "a" / "run"));
  }
  EXPECT_TRUE(fs::is_empty(root_ / "a"));  // output files without commit() leave no trace
}

TEST_F(RunFiles, WritesTheContractsTables) {
  FlowResult flow;
  flow.from = 3;
  flow.dscp = 46;
  flow.bytes = 1000;
  flow.start = kMicroSecond * 2;
  flow.end = kMicroSecond * 12;
  flow.end_rx = kMicroSecond * 11;
  flow.ideal = kMicroSecond * 5;
  FlowRecord record;
  record.retransmits = 2;
  flow.counts = FlowCounts(record);
  flow.completed = true;
  flow.begun = true;
  results_.measured_to = kMicroSecond * 20;
  results_.flows.push_back(flow);
  FlowResult open;
  open.id = 1;
  results_.flows.push_back(open);
  results_.queues.push_back({"s0->h0", 0, 0, 0, 0});
  results_.flow_rates = {{kMicroSecond}, {1}, {2.5}, {3}, {0.5}, {2.25}};
  results_.queue_series = {{kMicroSecond}, {0}, {777}};
  results_.class_series = {{kMicroSecond}, {46}, {1.5}};
  OutputFolder folder(root_ / "run", false);
  write(folder);
  folder.commit();
  EXPECT_EQ(entries(), 1u);
  EXPECT_EQ(text_of(root_ / "run/flows.csv"),
            "id,from,to,dscp,weight,bytes,start_s,end_s,fct_s,fct_rx_s,ideal_s,slowdown,"
            "goodput_gbps,retransmits,completed\n"
            "0,3,0,46,1,1000,0.000002,0.000012,0.00001,0.000009,0.000005,2,0,2,true\n"
            "1,0,0,0,1,,0,,,,,,0,0,false\n");
  const std::string fct = text_of(root_ / "run/fct.csv");
  EXPECT_EQ(fct.substr(0, fct.find(",us_p50")),
            "of,which,above_bytes,up_to_bytes,begun,completed,unfinished,us_mean");
  EXPECT_NE(fct.find("\nall,,0,,1,1,0,10,10,10,10,10,10,2,2,2,2,2\n"
                     "all,,0,1000,1,1,0,10,10,10,10,10,10,2,2,2,2,2\nclass,46,0,,1,1,0,10,"),
            std::string::npos)
      << fct;
  EXPECT_EQ(text_of(root_ / "run/series/flow_rates.csv"),
            "t_s,flow,rate_gbps,target_gbps,alpha,goodput_gbps\n0.000001,1,2.5,3,0.5,2.25\n");
  EXPECT_EQ(text_of(root_ / "run/series/queue.csv"), "t_s,port,bytes\n0.000001,s0->h0,777\n");
  EXPECT_FALSE(fs::exists(root_ / "run/series/delays.csv"));
  EXPECT_EQ(text_of(root_ / "run/series/class.csv"), "t_s,dscp,goodput_gbps\n0.000001,46,1.5\n");
  EXPECT_TRUE(nlohmann::json::accept(text_of(root_ / "run/metrics.json")));
  EXPECT_FALSE(text_of(root_ / "run/config.effective.yaml").empty());
}

TEST_F(RunFiles, AFullFolderIsRefusedUnlessForced) {
  {
    OutputFolder first(root_ / "run", false);
    write(first);
    first.commit();
  }
  EXPECT_THROW(OutputFolder(root_ / "run", false), OutputError);
  std::ofstream(root_ / "run/old") << "x";
  OutputFolder again(root_ / "run", true);
  EXPECT_TRUE(fs::exists(root_ / "run/old"));
  write(again);
  again.commit();
  EXPECT_FALSE(fs::exists(root_ / "run/old"));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(RunFiles, ForceNeverReplacesWhatIsNoRun) {
  fs::create_directories(root_ / "home");
  std::ofstream(root_ / "home/thesis.tex") << "x";
  EXPECT_THROW(OutputFolder(root_ / "home", true), OutputError);
  std::ofstream(root_ / "file") << "x";
  EXPECT_THROW(OutputFolder(root_ / "file", true), OutputError);
  EXPECT_THROW(OutputFolder("/", true), OutputError);
  EXPECT_THROW(OutputFolder("", true), OutputError);
  fs::create_directories(root_ / "empty");
  EXPECT_NO_THROW(OutputFolder(root_ / "empty", false));
}

TEST_F(RunFiles, ATrailingSlashIsTheSameFolder) {
  OutputFolder folder((root_ / "run").string() + "/", false);
  EXPECT_EQ(folder.final_place(), root_ / "run");
}

}  // namespace
}  // namespace dcc::vp
