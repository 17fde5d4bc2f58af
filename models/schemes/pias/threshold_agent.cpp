#include "schemes/pias/threshold_agent.h"

#include "describe/visitor.h"
#include "schemes/pias/feedback_thresholds.h"
#include "sim/state_digest.h"

namespace dcc {

void ThresholdTuning::describe(ParameterVisitor& v) {
  const char* const paper = "AuTO, SIGCOMM'18";
  v.field("tune_every", every, "never", {"1us", "1000s"},
          {"time between two changes of the thresholds by a central agent, from the sizes of "
           "messages that have ended and a model of their time (AuTO without its learning)",
           paper});
  v.when(every.has_value(), "tune_every: a time", [&] {
    v.field("tune_flows", flows, {"20", "1000000"}, {"number of ended messages whose sizes count"});
    v.field("tune_delay", delay, {"0us", "1000s"},
            {"time from the end of a period to new thresholds at the hosts", paper});
  });
}

ThresholdAgent::ThresholdAgent(Scheduler& scheduler, std::uint32_t rank,
                               const ThresholdTuning& tuning, std::size_t thresholds)
    : scheduler_(scheduler),
      tuning_(tuning),
      levels_(thresholds + 1),
      period_(Event::calling<&ThresholdAgent::collect>(*this, rank)),
      applying_(Event::calling<&ThresholdAgent::apply>(*this, rank)) {}

void ThresholdAgent::add_host(Transmitter& host, BitRate line_rate) {
  host.requester().keep_finished_sizes();
  hosts_.push_back(&host);
  bytes_a_period_ +=
      static_cast<double>(line_rate.bits_per_second) / 8 * to_seconds(*tuning_.every);
}

void ThresholdAgent::begin() { scheduler_.schedule_in(period_, *tuning_.every); }

void ThresholdAgent::collect() {
  Bytes acknowledged = 0;
  for (Transmitter* const host : hosts_) {
    acknowledged += host->requester().tally().acknowledged_bytes;
    for (const Bytes size : host->requester().take_finished_sizes()) ended_.push_back(size);
  }
  while (ended_.size() > tuning_.flows) ended_.pop_front();
  const double load = static_cast<double>(acknowledged - acknowledged_) / bytes_a_period_;
  acknowledged_ = acknowledged;
  if (ended_.size() >= kMin && !applying_.is_scheduled()) {
    const FeedbackThresholds model({ended_.begin(), ended_.end()}, load);
    thresholds_ = model.best(static_cast<unsigned>(levels_));
    scheduler_.schedule_in(applying_, tuning_.delay);
  }
  begin();
}

void ThresholdAgent::add_state(StateDigest& d) const {
  d(acknowledged_, ended_, thresholds_, period_, applying_);
}

void ThresholdAgent::apply() {
  for (Transmitter* const host : hosts_) host->set_demotion(thresholds_);
}

}  // namespace dcc
