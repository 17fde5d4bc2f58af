#include "schemes/xcp/feedback_controller.h"

#include <cmath>

namespace dcc {

namespace {
/// Number of control intervals without a packet after which a link counts as idle. A flow with the
/// shortest window and twice the mean round trip does not leave its link idle, because the link
/// must still increase that flow's window.
constexpr int kPause = 2 * FeedbackController::kLongestGap;
}  // namespace

void FeedbackParameters::describe(ParameterVisitor& v) {
  const char* const paper = "XCP, SIGCOMM'02";
  v.field("gain", gain, {"0", "10"},
          {"alpha: share of the link's spare bytes in a round trip that is given out", paper});
  v.field("drain", drain, {"0", "10"}, {"beta: share of the queue that is taken back", paper});
  v.field("shuffle", shuffle, {"0", "1"},
          {"gamma: share of the traffic that is redistributed even if no rate is spare", paper});
}

double FeedbackController::comes(Bytes bytes, Bytes queue, const Flow& flow, PicoSeconds now) {
  const double trip = to_seconds(flow.round_trip);
  if (!begun_ && trip > 0) {
    begun_ = true;
    began_ = now;
    span_ = flow.round_trip;
  }
  if (begun_) turn(now);
  arrivals_.add(bytes, queue);
  if (trip <= 0 || flow.window <= 0) return 0;
  const auto size = static_cast<double>(bytes);
  by_window_ += trip * size / flow.window;
  counted_ += size;
  trips_ += size * trip;
  return give_ * trip * trip * size / flow.window - take_ * trip * size;
}

/// Ends the present control interval if its time is over, and decides the window changes for the
/// packets of the next interval. The next interval is expected to have as many packets as this
/// interval; after a pause the number of packets is unknown.
void FeedbackController::turn(PicoSeconds now) {
  if (now < began_ + span_) return;
  give_ = take_ = 0;
  if (now < began_ + span_ * kPause) {
    const double d = to_seconds(span_);
    const double traffic = static_cast<double>(arrivals_.bytes()) * d / to_seconds(now - began_);
    const double change = parameters_.gain.value() * (d * link_ - traffic) -
                          parameters_.drain.value() * static_cast<double>(arrivals_.queue());
    const double shuffled =
        std::max(0.0, parameters_.shuffle.value() * traffic - std::fabs(change));
    if (counted_ > 0) {
      give_ = (shuffled + std::max(change, 0.0)) / (d * by_window_);
      take_ = (shuffled + std::max(-change, 0.0)) / (d * counted_);
      span_ = PicoSeconds(static_cast<std::int64_t>(trips_ / counted_ * 1e12));
    }
  }
  began_ = now;
  arrivals_ = {};
  by_window_ = counted_ = trips_ = 0;
}

}  // namespace dcc
