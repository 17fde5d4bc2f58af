#include "schemes/rcp/fair_rate.h"

namespace dcc {

namespace {
/// Least rate as a share of the link's rate: the authors' MIN_RATE_FACT.
constexpr double kLeastShare = 1e-3;
/// Mean round-trip time d before any packet has carried a round-trip time.
constexpr PicoSeconds kRttAtFirst = kMicroSecond * 100;
}  // namespace

void FairRateParameters::describe(ParameterVisitor& v) {
  const char* const paper = "RCP, IWQoS'05";
  v.field("interval", interval, "auto", {"1us", "1s"},
          {"time between two changes of a port's rate, at most the mean round trip; auto: the mean "
           "round trip",
           paper});
  v.field("gain", gain, {"0", "10"}, {"alpha: share of the unused rate that is given out", paper});
  v.field("drain", drain, {"0", "10"},
          {"beta: share of the rate that would drain the queue in a round trip, which is held back",
           paper});
  v.field("first_rate", first_rate, {"1/1000", "1"},
          {"rate of a flow at a port that has seen none, as a part of the link's",
           "authors' ns-2 code"});
  v.field("averaging", averaging, {},
          {"averaging principle: half an interval after a change the rate becomes the mean of its "
           "values before and after",
           "SIGMETRICS'11"});
}

void FairRate::set_link(BitRate rate) {
  link_ = static_cast<double>(rate.bits_per_second);
  rate_ = before_ = link_ * parameters_.first_rate.value();
}

BitRate FairRate::rate() const { return BitRate(static_cast<std::uint64_t>(std::max(rate_, 1.0))); }

PicoSeconds FairRate::interval() const {
  const PicoSeconds mean = mean_ > PicoSeconds() ? mean_ : kRttAtFirst;
  return std::min(parameters_.interval.value_or(mean), mean);
}

void FairRate::comes(Bytes bytes, Bytes queue, PicoSeconds round_trip, PicoSeconds now) {
  if (!begun_) {
    begun_ = true;
    began_ = now;
    mean_ = round_trip;
  }
  turn(now);
  arrivals_.add(bytes, queue);
  if (round_trip > PicoSeconds()) {
    trips_ = trips_ + round_trip;
    ++count_;
  }
}

/// Applies the changes of the link's rate R that are due.
void FairRate::turn(PicoSeconds now) {
  for (;;) {
    const PicoSeconds span = interval();
    if (averages_ && now >= began_ + PicoSeconds(span.count / 2)) {
      rate_ = (rate_ + before_) / 2;
      averages_ = false;
    }
    if (now < began_ + span) return;
    const double arrival = static_cast<double>(arrivals_.bytes()) * 8 / to_seconds(span);
    change(arrival, static_cast<double>(arrivals_.queue()));
    began_ = began_ + span;
    if (count_ > 0) mean_ = PicoSeconds(trips_.count / count_);
    arrivals_ = {};
    trips_ = PicoSeconds();
    count_ = 0;
    // After R has reached the link's rate, intervals without a packet do not change R.
    if (rate_ >= link_ && before_ >= link_) began_ = std::max(began_, now);
  }
}

void FairRate::change(double arrival, double queue) {
  const PicoSeconds span = interval();
  const PicoSeconds mean = mean_ > PicoSeconds() ? mean_ : kRttAtFirst;
  const double part = static_cast<double>(span.count) / static_cast<double>(mean.count);
  const double spare = parameters_.gain.value() * (link_ - arrival);
  const double drain = parameters_.drain.value() * queue * 8 / to_seconds(mean);
  before_ = rate_;
  rate_ *= 1 + part * (spare - drain) / link_;
  rate_ = std::clamp(rate_, link_ * kLeastShare, link_);
  averages_ = parameters_.averaging;
}

}  // namespace dcc
