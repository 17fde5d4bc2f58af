// The controller's RTL and its model give the same answers in the same cycles, and have the same
// slots and counters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "controller/controller_model.h"
#include "controller_dut.h"
#include "driver/dcc_regs.h"

namespace dcc::page {
namespace {

constexpr std::int64_t kPeriod = 4000;  // clock period in ps

struct SeenAnswer {
  std::uint64_t edge;
  std::uint32_t flow, rate;
  bool query, bound;
};

std::string text(const SeenAnswer& a) {
  std::ostringstream s;
  s << "edge " << a.edge << " flow " << a.flow << (a.query ? " query" : "");
  if (a.bound) s << " rate " << a.rate;
  return s.str();
}

class Model final : public RateSink {
 public:
  explicit Model(const ControllerParameters& parameters)
      : device_(scheduler_, ControllerConfig{}, 1, *this) {
    device_.set_parameters(parameters);  // sets the parameters before the first clock edge
  }
  ControllerModel& at(std::uint64_t edge) {
    scheduler_.run_until(PicoSeconds{static_cast<std::int64_t>(edge) * kPeriod});
    return device_;
  }
  std::vector<SeenAnswer> answers;

 private:
  std::uint64_t edge() const {
    return static_cast<std::uint64_t>(scheduler_.now().count / kPeriod);
  }
  void rate_calculated(std::uint32_t flow, Rate rate) override {
    answers.push_back({edge(), flow, rate.raw, false, true});
  }
  void query_answered(std::uint32_t flow, std::optional<Rate> rate) override {
    answers.push_back({edge(), flow, rate.has_value() ? rate->raw : 0, true, rate.has_value()});
  }

  Scheduler scheduler_;
  ControllerModel device_;
};

/// The controller's RTL with a driver. Inputs wait until their port accepts them, and one register
/// access is made at a time.
class Rtl {
 public:
  explicit Rtl(std::uint32_t seed) : dut_(make_shipped_controller(seed)) { dut_->reset(); }
  std::uint64_t cycle() const { return cycle_; }
  bool accessing() const { return access_.has_value(); }
  void begin(bool write, std::uint32_t address, std::uint32_t value) {
    access_ = ApbPins{true, false, write, address, value};
  }
  std::uint32_t value() const { return value_; }
  void offer(const Inputs& in) {
    // at most as many as the model's FIFO holds
    if (in.bytes && bytes_.size() < timing::kAtPort) bytes_.push_back(in);
    if (in.command) commands_.push_back(in);
    cnp_ = in;
  }
  void step() {
    Inputs in;
    in.cnp = cnp_.cnp;
    in.cnp_flow = cnp_.cnp_flow;
    in.cnp_dscp = cnp_.cnp_dscp;
    in.cnp_marks = cnp_.cnp_marks;
    in.cnp_packets = cnp_.cnp_packets;
    if (!bytes_.empty()) {
      in.bytes = true;
      in.bytes_flow = bytes_.front().bytes_flow;
      in.bytes_dscp = bytes_.front().bytes_dscp;
      in.bytes_length = bytes_.front().bytes_length;
    }
    if (!commands_.empty()) {
      in.command = true;
      in.command_flow = commands_.front().command_flow;
      in.command_query = commands_.front().command_query;
    }
    cnp_ = {};
    const Pins pins = dut_->drive(in, access_.value_or(ApbPins{}));
    if (pins.rate_valid) {
      answers.push_back({cycle_, pins.rate.flow, pins.rate.rate, pins.rate.query, pins.rate.bound});
    }
    if (in.bytes && pins.bytes_ready) bytes_.pop_front();
    if (in.command && pins.command_ready) commands_.pop_front();
    if (access_.has_value()) {
      if (access_->penable && pins.pready) {
        value_ = pins.prdata;
        access_.reset();
      } else {
        access_->penable = true;
      }
    }
    ASSERT_TRUE(dut_->edge());
    ++cycle_;
  }
  std::vector<SeenAnswer> answers;

 private:
  std::unique_ptr<ControllerDut> dut_;
  Inputs cnp_;
  std::deque<Inputs> bytes_, commands_;
  std::optional<ApbPins> access_;
  std::uint32_t value_ = 0;
  std::uint64_t cycle_ = 0;
};

struct Traffic {
  const char* name;
  bool dcqcn;
  std::uint32_t flows;
  std::uint32_t cnp, bytes, command, access;  // probabilities of an input per cycle, in 1/1024
};

void PrintTo(const Traffic& t, std::ostream* out) { *out << t.name; }

class RtlEqualsModel : public testing::TestWithParam<Traffic> {
 protected:
  /// Writes a register of model and RTL at the same edge.
  void write(std::uint32_t address, std::uint32_t value) {
    rtl_->begin(true, address, value);
    model_->at(rtl_->cycle() + 1).set_parameters(parameters_);
    while (rtl_->accessing()) rtl_->step();
  }
  void write_table(RateTable table, std::uint32_t index, std::uint32_t address,
                   std::uint32_t value) {
    rtl_->begin(true, address, value);
    model_->at(rtl_->cycle() + 1).write_table(table, index, value);
    while (rtl_->accessing()) rtl_->step();
  }
  std::uint32_t read(std::uint32_t address) {
    rtl_->begin(false, address, 0);
    while (rtl_->accessing()) rtl_->step();
    return rtl_->value();
  }
  /// Compares a slot of RTL and model. Both let an access to the slot window wait.
  void compare_slot(std::uint32_t slot) {
    std::uint32_t words[8];
    const SlotView view = model_->at(rtl_->cycle()).slot(slot);
    for (std::uint32_t w = 0; w < 8; ++w) {
      model_->at(rtl_->cycle() + 1).access_window();
      words[w] = read(DCC_SLOTS_ENTRY_OFFSET(slot) + 4 * w);
    }
    const SlotView after = model_->at(rtl_->cycle()).slot(slot);
    // Skips the comparison if an event has changed the slot between the two reads.
    if (!view.flow.has_value() || view.flow != after.flow || view.timer_due != after.timer_due) {
      return;
    }
    const SlotParameters& p = view.parameters;
    ++slots_compared_;
    EXPECT_EQ(words[0], *view.flow | 0x80000000u) << slot;
    EXPECT_EQ(words[1], p.rc) << slot;
    EXPECT_EQ(words[2], p.rt) << slot;
    EXPECT_EQ(words[3], p.alpha) << slot;
    EXPECT_EQ(words[4], p.t | std::uint32_t{p.bc} << 8 | std::uint32_t{p.dscp} << 16) << slot;
    EXPECT_EQ(words[5], p.pkt_length) << slot;
    EXPECT_EQ(words[6], p.t_latest) << slot;
    EXPECT_EQ(words[7] & 0x1FFFF, view.timer_due.value_or(0)) << slot;
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  void start(std::uint64_t seed, const Traffic& t) {
    random_.seed(seed);
    parameters_ = {};
    rtl_ = std::make_unique<Rtl>(static_cast<std::uint32_t>(seed));
    model_ = std::make_unique<Model>(parameters_);
    for (int i = 0; i < 10; ++i) rtl_->step();
    parameters_.tick_div = static_cast<std::uint16_t>(100 + below(200));
    write(DCC_TICK_DIV_OFFSET, parameters_.tick_div);
    parameters_.timer_interval =
        static_cast<std::uint16_t>((8 * 1024 + 64) / parameters_.tick_div + 1 + below(30));
    write(DCC_TIMER_INTERVAL_OFFSET, parameters_.timer_interval);
    parameters_.byte_threshold = 2000 + below(100'000);
    write(DCC_BYTE_THRESHOLD_OFFSET, parameters_.byte_threshold);
    parameters_.decrease_period = below(20);
    write(DCC_DECREASE_PERIOD_OFFSET, parameters_.decrease_period);
    parameters_.rate.first_cut = t.dcqcn ? 0 : 32768;
    write(DCC_FIRST_CUT_OFFSET, parameters_.rate.first_cut);
    parameters_.rate.g = static_cast<std::uint16_t>(t.dcqcn ? 256 : 1000 + below(20'000));
    write(DCC_G_OFFSET, parameters_.rate.g);
    parameters_.silence = static_cast<std::uint8_t>(1 + below(40));
    write(DCC_SILENCE_OFFSET, parameters_.silence);
    parameters_.brisk = static_cast<std::uint8_t>(below(96));
    write(DCC_BRISK_OFFSET, parameters_.brisk);
    for (std::uint32_t i = 0; i < 257; ++i) {
      write_table(RateTable::kDecrease, i, DCC_DECREASE_OFFSET + 4 * i, 65536 - i * 128);
    }
    for (std::uint32_t i = 0; i < 64; ++i) {
      write_table(RateTable::kDecayLo, i, DCC_DECAY_LO_OFFSET + 4 * i, 65536 - 250 * i);
      write_table(RateTable::kDecayHi, i, DCC_DECAY_HI_OFFSET + 4 * i, 65536 >> std::min(i, 16u));
    }
    parameters_.enable = true;
    parameters_.rate.law = t.dcqcn;
    parameters_.keep_target = below(2) != 0;
    parameters_.rate.cut_floor = below(2) != 0 ? 0 : below(65537);
    write(DCC_CUT_FLOOR_OFFSET, parameters_.rate.cut_floor);
    write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_TIMER_RESTART_MASK |
                               DCC_CTRL_BYTE_COUNTER_MASK | (t.dcqcn ? DCC_CTRL_LAW_MASK : 0) |
                               (parameters_.keep_target ? DCC_CTRL_KEEP_TARGET_MASK : 0));
  }

  void cycle(const Traffic& t, bool quiet) {
    if (!quiet) {
      Inputs in;
      in.cnp = below(1024) < t.cnp;
      in.cnp_flow = below(t.flows);
      in.cnp_dscp = in.bytes_dscp = below(3);
      in.cnp_marks = below(6);
      in.cnp_packets = below(12);
      in.bytes = below(1024) < t.bytes;
      in.bytes_flow = below(t.flows);
      in.bytes_length = 64 + below(4096);
      in.command = below(1024) < t.command;
      in.command_flow = below(t.flows);
      in.command_query = below(2) != 0;
      rtl_->offer(in);
      ControllerModel& device = model_->at(rtl_->cycle() + 1);
      if (in.cnp) {
        device.cnp(in.cnp_flow, static_cast<std::uint8_t>(in.cnp_dscp),
                   static_cast<std::uint8_t>(in.cnp_marks),
                   static_cast<std::uint8_t>(in.cnp_packets));
      }
      if (in.bytes) {
        device.bytes(in.bytes_flow, static_cast<std::uint8_t>(in.bytes_dscp), in.bytes_length);
      }
      if (in.command && in.command_query) device.query(in.command_flow);
      if (in.command && !in.command_query) device.release(in.command_flow);
      if (!rtl_->accessing() && below(1024) < t.access) {
        parameters_.rate.r_ai = 1000 + below(100'000);
        rtl_->begin(true, DCC_R_AI_OFFSET, parameters_.rate.r_ai);
        device.set_parameters(parameters_);
      }
    }
    rtl_->step();
  }

  std::unique_ptr<Rtl> rtl_;
  std::unique_ptr<Model> model_;
  ControllerParameters parameters_;
  std::mt19937_64 random_;
  int slots_compared_ = 0;
};

TEST_P(RtlEqualsModel, InEveryAnswerAndItsCycle) {
  const Traffic& t = GetParam();
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    ASSERT_NO_FATAL_FAILURE(start(seed, t));
    for (int i = 0; i < 100'000; ++i) ASSERT_NO_FATAL_FAILURE(cycle(t, false));
    // Up to 1024 byte notifications wait in front of the byte port after a flood.
    for (int i = 0; i < 4000; ++i) ASSERT_NO_FATAL_FAILURE(cycle(t, true));
    ControllerModel& device = model_->at(rtl_->cycle());
    while (!rtl_->answers.empty() && rtl_->answers.back().edge + 1 >= rtl_->cycle()) {
      rtl_->answers.pop_back();
    }
    ASSERT_GT(rtl_->answers.size(), 250u);
    for (std::size_t i = 0; i < rtl_->answers.size(); ++i) {
      ASSERT_LT(i, model_->answers.size()) << "the RTL goes on: " << text(rtl_->answers[i]);
      ASSERT_EQ(text(rtl_->answers[i]), text(model_->answers[i])) << "answer " << i;
    }
    ASSERT_GT(rtl_->answers.size(), 250u);
    std::printf("%s, seed %d: %zu answers alike in %llu cycles\n", t.name, static_cast<int>(seed),
                rtl_->answers.size(), static_cast<unsigned long long>(rtl_->cycle()));
    const ControllerStatistics& s = device.statistics();
    EXPECT_EQ(read(DCC_STAT_CNPS_RECEIVED_LO_OFFSET), s.cnps_received);
    EXPECT_EQ(read(DCC_STAT_BYTE_NOTIFICATIONS_LO_OFFSET), s.byte_notifications);
    EXPECT_EQ(read(DCC_STAT_SLOTS_BOUND_LO_OFFSET), s.slots_bound);
    EXPECT_EQ(read(DCC_STAT_SLOTS_IN_USE_MAX_LO_OFFSET), s.slots_in_use_max);
    EXPECT_EQ(read(DCC_STAT_CNPS_LOST_LO_OFFSET), s.cnps_lost);
    for (std::uint32_t slot = 0; slot < 1024; slot += 13) compare_slot(slot);
  }
  if (t.flows > 2) {  // two flows are seldom bound to slots that are compared
    EXPECT_GT(slots_compared_, 0);
  }
}

const Traffic kTraffic[] = {
    {"DcqcnFew", true, 50, 20, 300, 4, 1},       {"MarksFew", false, 50, 20, 300, 4, 1},
    {"DcqcnCrowd", true, 3000, 150, 500, 20, 1}, {"MarksCrowd", false, 3000, 150, 500, 20, 1},
    {"DcqcnPair", true, 2, 40, 300, 20, 3},      {"MarksPair", false, 2, 40, 300, 20, 3},
    {"DcqcnFlood", true, 300, 700, 900, 50, 0},  {"MarksFlood", false, 300, 700, 900, 50, 0},
};

INSTANTIATE_TEST_SUITE_P(Traffics, RtlEqualsModel, testing::ValuesIn(kTraffic),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace dcc::page
