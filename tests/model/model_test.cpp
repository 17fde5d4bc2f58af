#include "model_test.h"

#include <algorithm>

namespace dcc::model {
namespace {

struct Stimulus final : sc_core::sc_module {
  SC_HAS_PROCESS(Stimulus);
  Stimulus(const sc_core::sc_module_name& name, std::function<void()> work, bool& is_finished)
      : sc_core::sc_module(name), work_(std::move(work)), finished_(is_finished) {
    SC_THREAD(run);
  }
  void run() {
    work_();
    finished_ = true;
    sc_core::sc_stop();
  }
  std::function<void()> work_;
  bool& finished_;
};

}  // namespace

ModelTest* ModelTest::current_ = nullptr;

ModelTest::ModelTest() {
  current_ = this;
  sc_core::sc_report_handler::set_handler(&ModelTest::handle_report);
}

ModelTest::~ModelTest() { current_ = nullptr; }

void ModelTest::handle_report(const sc_core::sc_report& report,
                              const sc_core::sc_actions& actions) {
  const std::string type = report.get_msg_type();
  if (current_ != nullptr) {
    auto& expected = current_->expected_reports_;
    const auto found = std::find(expected.begin(), expected.end(), type);
    if (found != expected.end()) {
      expected.erase(found);
      return;
    }
  }
  if (report.get_severity() >= sc_core::SC_WARNING) {
    ADD_FAILURE() << "SystemC report: " << type << ": " << report.get_msg();
  }
  sc_core::sc_report_handler::default_handler(report, actions);
}

void ModelTest::expect_report(const std::string& type) { expected_reports_.push_back(type); }

void ModelTest::simulate(std::function<void()> stimulus, const sc_core::sc_time& limit) {
  ASSERT_FALSE(simulated_) << "a model test simulates once";
  simulated_ = true;
  Stimulus thread("stimulus", std::move(stimulus), finished_);
  sc_core::sc_start(limit);
  EXPECT_TRUE(finished_) << "the stimulus did not come to its end within " << limit;
}

void ModelTest::TearDown() {
  EXPECT_TRUE(simulated_) << "the test never called simulate()";
  for (const std::string& type : expected_reports_) {
    ADD_FAILURE() << "the announced report " << type << " did not come";
  }
}

}  // namespace dcc::model
