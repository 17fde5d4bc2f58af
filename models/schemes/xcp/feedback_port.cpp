#include "schemes/xcp/feedback_port.h"

#include <algorithm>

namespace dcc {

namespace {
const Disciplines::Registered<FeedbackPortParameters> kFeedback{
    "window_feedback", "writes changes of windows into packets, by spare capacity and queue",
    kMakes<FeedbackPort>};
}  // namespace

void FeedbackPortParameters::describe(ParameterVisitor& v) {
  feedback.describe(v);
  AskedPortParameters::describe(v);
}

FeedbackPort::FeedbackPort(const FeedbackPortParameters& parameters,
                           const DisciplineContext& context)
    : ModelledPort(parameters, context, parameters.feedback) {}

void FeedbackPort::asked(Packet& packet) {
  if (!CongestionHeader::is_on(packet)) {
    model_.comes(on_wire(packet), bytes(), {}, now());
    return;
  }
  const double change =
      model_.comes(on_wire(packet), bytes(), CongestionHeader::flow(packet), now());
  const double least = std::min(CongestionHeader::feedback(packet), change);
  CongestionHeader::write_feedback(packet, least);
}

}  // namespace dcc
