// CDG (CAIA Delay Gradient) cuts its window at random times: the faster the round-trip time grows,
// the more probable is a cut.
#pragma once

#include <array>

#include "schemes/common/delay_window.h"
#include "sim/random.h"

namespace dcc {

/// Hayes and Armitage, "Revisiting TCP Congestion Control using Delay Gradients", IFIP Networking
/// 2011, sections 3.1 and 3.2. The model omits the shadow window and the end of backoffs without
/// effect, because both serve the coexistence with senders that fill queues until packets are lost.
struct CdgParameters final : DelayWindowParameters {
  Ratio beta{7, 10};  // β, factor by which a backoff multiplies the window
  /// Gradient of the RTT, per round trip, at which a backoff has the probability 1 − 1/e. Empty: a
  /// sixteenth of the base RTT. The paper's value suits round trips of the Internet.
  std::optional<PicoSeconds> scale;
  // payload bytes by which a window grows in a round trip; empty: a full packet
  std::optional<Bytes> growth;

  void describe(ParameterVisitor& v) override;
};

/// The CDG rule is applied once a round trip. The gradient g is the change of the round trip's
/// least RTT, averaged over eight round trips, or of the greatest RTT if the least RTT does not
/// rise. With g > 0 the window shrinks to β times its value with the probability 1 − exp(−g /
/// scale), except in the round trip after a backoff. Otherwise the window grows by `growth`.
class Cdg final : public DelayWindow {
 public:
  Cdg(AlgorithmHost& host, const CdgParameters& parameters, std::uint32_t mtu, std::uint64_t seed,
      std::uint64_t index = 0);

  void release(FlowNumber flow) override;

 private:
  static constexpr std::size_t kSamples = 8;
  struct Gradient {
    // ring of the last round trips' least or greatest RTTs, in ps
    std::array<long double, kSamples> past{};
    /// Stores the RTT of round trip `round`; returns the mean change per round trip.
    long double add(std::uint64_t round, long double rtt);
  };
  struct State {
    Gradient least, most;
    std::uint64_t rounds = 0;
    long double scale = 0;  // gradient in ps that gives the backoff probability 1 − 1/e
    bool backed_off = false;
  };

  void begin(FlowNumber number, const Flow& flow) override;
  long double next_window(FlowNumber number, const Flow& flow) override;

  const CdgParameters parameters_;
  const long double beta_, growth_;
  RandomStream random_;
  NumberedTable<State> states_;
};

}  // namespace dcc
