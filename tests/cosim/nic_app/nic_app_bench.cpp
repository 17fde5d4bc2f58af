// nic_app_bench [--cycles N] [--seed N] [--vectors FILE]: two application blocks (dcc_app_block)
// with a marking switch between them, and 64 flows in each direction with weights 1 and 4. At the
// first violation of the contract the program prints a line and ends with status 1. With --vectors
// it checks nothing: it writes to FILE what the pins of one of the blocks are in every cycle, for a
// testbench in Verilog that plays it again (vector_writer.h).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "host.h"
#include "marking_switch.h"
#include "single_thread_context.h"
#include "vector_writer.h"

namespace dcc {
namespace {

// number of cycles of load from which on the shares of the flows are checked
constexpr std::uint64_t kSettled = 1'000'000;

class Network {
 public:
  explicit Network(std::uint32_t seed)
      : between_(seed),
        a_(context(seed), "nic_a", seed),
        b_(context_, "nic_b", seed + 1),
        hosts_{Host(0, a_, [this] { cycle(); }), Host(1, b_, [this] { cycle(); })} {
    a_.sent = [this](Frame frame) { leave(0, std::move(frame)); };
    b_.sent = [this](Frame frame) { leave(1, std::move(frame)); };
    between_.arrive = [this](unsigned port, Frame frame) {
      (port == 0 ? a_ : b_).to_receive.push_back(std::move(frame));
    };
  }

  void run(std::uint64_t cycles);
  void check_edges();
  /// Writes golden vectors of block a: registers, a load that is marked at once, a pause, frames of
  /// other sizes, a reset under load.
  void record(const std::string& path);

 private:
  void cycle() {
    for (Host& host : hosts_) host.cycle();
    a_.cycle();
    b_.cycle();
    between_.cycle();
  }
  void cycles(std::uint64_t number) {
    for (std::uint64_t i = 0; i < number; ++i) cycle();
  }
  void leave(unsigned port, Frame frame) {
    ++left_[port];
    if (kept_ != nullptr) {
      kept_->push_back(std::move(frame));
    } else {
      between_.take(port, std::move(frame));
    }
  }
  /// Runs until no packet is in flight.
  void drain();
  void check_after_reset(Host& host);
  void check_registers(Host& host);
  void check_release(Host& host);
  void check_shares(unsigned host, const std::array<std::uint64_t, kFlows>& before,
                    std::uint64_t cycles) const;
  void check_counters();
  void check_pause();
  void check_long_frame();
  void send_sizes(std::uint32_t flow, std::initializer_list<std::uint32_t> sizes,
                  std::vector<Frame>& posted);
  void check_pace();

  MarkingSwitch between_;
  /// The Verilator context of both blocks. A block's destructor uses the context that the thread
  /// used last.
  VerilatedContext& context(std::uint32_t seed) {
    context_.fatalOnError(false);  // a failed assertion throws instead of ending the process
    context_.randReset(2);
    context_.randSeed(static_cast<int>(seed));
    return context_;
  }
  SingleThreadContext context_;
  AppPins a_, b_;
  std::array<Host, 2> hosts_;
  std::array<std::uint64_t, 2> left_{};
  // if set, sent frames are kept here and do not reach the switch
  std::vector<Frame>* kept_ = nullptr;
};

void Network::drain() {
  for (Host& host : hosts_) host.sending = false;
  for (int waited = 0;; ++waited) {
    require(waited < 1'000'000, "the network does not become empty");
    cycle();
    bool busy = !between_.empty() || !a_.to_send.empty() || !b_.to_send.empty();
    for (const Host& host : hosts_)
      for (std::uint32_t flow = 0; flow < kFlows; ++flow) busy |= host.outstanding(flow) != 0;
    if (!busy) break;
  }
  cycles(5000);
}

void Network::check_after_reset(Host& host) {
  using R = AppRegister;
  const auto context = static_cast<std::uint32_t>(R::kContext);
  require(host.refuses(true, context, 1u << 31), "a context is taken during the sweep");
  cycles(1000);
  struct Value {
    R which;
    std::uint32_t value;
  };
  for (const Value& known :
       {Value{R::kStatus, 1}, Value{R::kQpnBase, 0}, Value{R::kOwnIp, 0}, Value{R::kOwnMacLow, 0},
        Value{R::kOwnMacHigh, 0}, Value{R::kCnp, 0x10630}, Value{R::kDefaultRate, 100'000 << 8},
        Value{R::kPeer, 0}, Value{R::kInterval, 500}, Value{R::kContext, 0}, Value{R::kCommand, 0},
        Value{R::kRefused, 0}, Value{R::kUnbound, 0}, Value{R::kCnpsIn, 0}, Value{R::kCnpsOut, 0},
        Value{R::kCut, 0}, Value{R::kMemoryErrors, 0}, Value{R::kMemoryCorrected, 0},
        Value{R::kMemoryWord, 0}})
    require(host.read(known.which) == known.value, "a register has another value after reset");
}

/// The register COMMAND releases a flow's slot.
void Network::check_release(Host& host) {
  dcc_state before{}, after{};
  dcc_read_state(&host.controller(), &before);
  host.write(AppRegister::kCommand, 3);
  host.write(AppRegister::kCommand, 1u << 31 | 5);  // a query must not change the slot
  cycles(50'000);
  dcc_read_state(&host.controller(), &after);
  require(after.free_slots == before.free_slots + 1, "a release frees no slot, or more than one");
}

void Network::check_registers(Host& host) {
  using R = AppRegister;
  const auto at = [](R which) { return static_cast<std::uint32_t>(which); };
  require(host.refuses(true, at(R::kId), 1) && host.refuses(true, at(R::kCut), 1),
          "a register that is read only is written");
  require(host.refuses(true, at(R::kMemoryErrors), 0) && host.refuses(false, 0x100050, 0) &&
              host.refuses(false, 0x101000, 0) && host.refuses(false, 0x200000, 0) &&
              host.refuses(true, 0x900000, 0) && host.refuses(false, at(R::kOwnIp) + 1, 0),
          "an address without a register is not refused");
  require(host.refuses(true, at(R::kOwnIp), 0, 7), "a part of a word is written");
  require(host.refuses(true, at(R::kContext), 1u << 31 | kFlows) &&
              host.refuses(true, at(R::kCommand), 1u << 31 | kFlows),
          "a flow that does not exist is not refused");
  require(host.refuses(true, 0x20, 1) && host.refuses(false, 0xC8, 0),
          "the controller's refusals are lost on the way");
  for (const R which : {R::kQpnBase, R::kOwnIp, R::kOwnMacLow, R::kOwnMacHigh, R::kDefaultRate,
                        R::kPeer, R::kInterval}) {
    const std::uint32_t before = host.read(which);
    const std::uint32_t mask = which == R::kOwnMacHigh                     ? 0xFFFF
                               : which == R::kQpnBase || which == R::kPeer ? 0xFFFFFF
                                                                           : 0xFFFFFFFF;
    host.write(which, ~before);
    require(host.read(which) == (~before & mask), "a register does not keep its value");
    host.write(which, before);
    require(host.read(which) == before, "a register does not keep its value");
  }
}

/// Checks the shares of the bytes that arrived from each flow at `host` since `before`.
void Network::check_shares(unsigned host, const std::array<std::uint64_t, kFlows>& before,
                           std::uint64_t cycles) const {
  std::array<double, 2> sum{};
  for (std::uint32_t flow = 0; flow < kFlows; ++flow)
    sum[flow % 2] += static_cast<double>(hosts_[host].arrived()[flow] - before[flow]);
  const double total = sum[0] + sum[1];
  double worst = 0;
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
    const double part = static_cast<double>(hosts_[host].arrived()[flow] - before[flow]) / total;
    const double due = (flow % 2 != 0 ? 4.0 : 1.0) / (2.5 * kFlows);
    worst = std::max(worst, std::abs(part / due - 1));
  }
  const double ratio = sum[1] / sum[0];
  // Greatest number of payload bytes that the switch's link carries. A frame has 58 bytes of
  // headers and 24 bytes of overhead.
  const double line = MarkingSwitch::kBytesACycle * static_cast<double>(cycles) * kPayload /
                      (kPayload + 58 + MarkingSwitch::kOverhead);
  std::printf(
      "to host %u: heavy : light %.3f, flow farthest from its share %.1f %%, line %.1f %%\n", host,
      ratio, worst * 100, total / line * 100);
  require(std::abs(ratio / 4 - 1) <= 0.1, "weights 1 : 4 do not share 1 : 4 within 10 %");
  require(worst <= 0.25, "a flow is more than 25 % from its share");
  require(total / line >= 0.9, "the line is not used to 90 %");
}

void Network::check_counters() {
  for (unsigned i = 0; i < 2; ++i) {
    Host& host = hosts_[i];
    const Host& other = hosts_[1 - i];
    require(host.frames_sent() == other.frames_arrived(), "a frame is lost on its way");
    const std::uint64_t cnps = host.read(AppRegister::kCnpsIn);
    require(cnps != 0 && cnps == host.cnps_received() && cnps == between_.cnps(1 - i) &&
                cnps == hosts_[1 - i].read(AppRegister::kCnpsOut),
            "CNPs sent, on the wire, received and counted differ");
    require(host.read(AppRegister::kRefused) == 0 && host.read(AppRegister::kUnbound) == 0,
            "a frame is refused, or has no flow");
    require((host.read(AppRegister::kStatus) & ~2u) == 1, "not ready, or a memory has lost a bit");
    dcc_statistics counted{};
    dcc_read_statistics(&host.controller(), &counted);
    require(counted.cnps_received == cnps && counted.cnps_lost == 0 && counted.inputs_dropped == 0,
            "the controller has other CNPs");
    require(counted.byte_notifications == host.frames_sent(),
            "the controller has another number of sent packets");
    require(counted.slots_bound >= kFlows, "a flow has no slot");
  }
}

/// While a flow's priority is paused no data frame leaves. Frames wait, and no frame is lost.
void Network::check_pause() {
  for (Host& host : hosts_) host.sending = true;
  cycles(2000);
  a_.paused = 1u << kDataPriority;
  cycles(300);  // packets that the pacer has already decided on are sent
  const std::uint64_t before = left_[0] - hosts_[0].read(AppRegister::kCnpsOut);
  cycles(8000);  // a frame takes 17 cycles at the input port
  require(left_[0] - hosts_[0].read(AppRegister::kCnpsOut) == before,
          "a paused priority sends data");
  std::uint32_t waiting = 0;
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) waiting += hosts_[0].outstanding(flow);
  require(waiting == kFlows * kDepth, "a paused block does not take what it has room for");
  // One frame more than a full flow can hold stops the input port until the pause ends.
  a_.to_send.push_back(hosts_[0].frame_of(5));
  cycles(1000);
  require(a_.to_send.size() == 1, "a frame beyond the depth of its flow is taken");
  a_.paused = 0xFF & ~(1u << kDataPriority);
  drain();
  a_.paused = 0;
}

/// Sends frames of a flow with these sizes from host 0.
void Network::send_sizes(std::uint32_t flow, std::initializer_list<std::uint32_t> sizes,
                         std::vector<Frame>& posted) {
  for (const std::uint32_t size : sizes) {
    Frame frame = hosts_[0].frame_of(flow);
    frame.bytes.resize(size, static_cast<std::uint8_t>(size));
    frame.bad = size == 127;
    frame.destination = size % 8;
    posted.push_back(frame);
    a_.to_send.push_back(frame);
    while (hosts_[0].outstanding(flow) == kDepth) cycle();
  }
}

/// The block truncates a frame that is too long and marks it bad. A bad frame of the host stays
/// bad. Frames of all other sizes leave unchanged.
void Network::check_long_frame() {
  std::vector<Frame> left;
  kept_ = &left;
  std::vector<Frame> posted;
  send_sizes(7,
             {60u, 64u, 65u, 127u, 128u, 129u, 1500u, kMaxBeats * kBeat, kMaxBeats * kBeat + 1,
              kMaxBeats * kBeat + 200, 61u},
             posted);
  drain();
  kept_ = nullptr;
  require(left.size() == posted.size(), "a frame of another size does not leave");
  std::uint32_t cut = 0;
  for (std::size_t i = 0; i < posted.size(); ++i) {
    Frame expected = posted[i];
    if (expected.bytes.size() > kMaxBeats * kBeat) {
      expected.bytes.resize(kMaxBeats * kBeat);
      expected.bad = true;
      ++cut;
    }
    require(left[i].bytes == expected.bytes && left[i].bad == expected.bad &&
                left[i].tag == expected.tag && left[i].queue == 7 &&
                left[i].destination == expected.destination,
            "a frame changes on its way through the block");
  }
  require(hosts_[0].read(AppRegister::kCut) == cut, "frames that were cut are not counted");
}

/// A single flow sends at its rate. The rate includes preamble, FCS and gap of each frame.
void Network::check_pace() {
  constexpr std::uint32_t kFrames = 100, kSize = 60, kFlow = 9;
  hosts_[0].write(AppRegister::kCommand, kFlow);  // releases the flow's slot
  cycles(50'000);
  hosts_[0].write(AppRegister::kContext,  // the flow then has the rate DEFAULT_RATE
                  1u << 31 | kDataPriority << 28 | kHeavyDscp << 22 | kFlow);
  std::vector<Frame> left;
  kept_ = &left;
  std::uint64_t took = 0;
  for (std::uint32_t posted = 0; left.size() < kFrames; cycle()) {
    if (posted < kFrames && hosts_[0].outstanding(kFlow) < kDepth) {
      Frame frame = hosts_[0].frame_of(kFlow);
      frame.bytes.resize(kSize);
      a_.to_send.push_back(std::move(frame));
      ++posted;
    }
    took += left.empty() ? 0 : 1;
    require(took < 100'000, "a flow alone does not send");
  }
  kept_ = nullptr;
  const double due = (kSize + MarkingSwitch::kOverhead) * 8 * 250.0 / kFirstRate * (kFrames - 1);
  require(std::abs(static_cast<double>(took) / due - 1) < 0.004,
          "a flow alone does not send at its rate: " + std::to_string(took) + " cycles for " +
              std::to_string(due));
}

/// Checks that come before the load: no part is ready early, and data of a read that wait stay.
void Network::check_edges() {
  b_.reset();
  for (unsigned i = 0; i < 2; ++i) {
    AppPins& pins = i == 0 ? a_ : b_;
    Host& host = hosts_[i];
    pins.reset();
    // The controller's sweep is the longest one: 128 flow numbers, and more cycles than one access
    // takes.
    for (unsigned swept = 0; swept < 128; ++swept) {
      require(!pins.ready(), "ready before all memories are swept");
      if (swept == 80)
        require(host.refuses(true, static_cast<std::uint32_t>(AppRegister::kContext), 1u << 31),
                "a context is taken during the sweep");
      cycle();
    }
    host.bring_up();
    for (const std::uint32_t wait : {0u, 1u, 20u}) {
      const std::array<std::uint32_t, 2> both =
          host.read_two(AppRegister::kId, AppRegister::kInterval, wait);
      require(both[0] == 0x44434E31 && both[1] == 500, "data of two reads are mixed");
    }
  }
}

void Network::record(const std::string& path) {
  VectorWriter vectors(path);
  const auto reset = [&] {
    vectors.reset();
    a_.reset();
  };
  between_.kmin = 1000;
  between_.kmax = 10'000;
  a_.reset();
  b_.reset();
  hosts_[1].bring_up();
  a_.before_edge = [&](const Vnic_app& pins) { vectors.cycle(pins); };
  reset();
  hosts_[0].bring_up();
  check_registers(hosts_[0]);
  std::vector<Frame> left, posted;
  kept_ = &left;
  send_sizes(kFlows - 1, {60u, 127u, 128u, kMaxBeats * kBeat + 1}, posted);
  while (hosts_[0].outstanding(kFlows - 1) != 0) cycle();
  kept_ = nullptr;
  hosts_[0].flows = kFlows - 1;  // the last flow's frames did not arrive
  for (Host& host : hosts_) host.sending = true;
  cycles(2200);
  a_.paused = 1u << kDataPriority;
  cycles(300);
  a_.paused = 0;
  for (const auto which : {AppRegister::kCnpsIn, AppRegister::kCnpsOut, AppRegister::kCut})
    require(hosts_[0].read(which) != 0, "the vectors have no CNP, or no frame that is cut");
  reset();  // while frames arrive and leave
  for (Host& host : hosts_) host.sending = false;
  while (!a_.ready()) cycle();
  require(hosts_[0].read(AppRegister::kCnpsIn) == 0, "a reset keeps a counter");
  a_.before_edge = nullptr;
}

/// Resets blocks whose registers all begin as 0 and all as 1: the assertions check the values after
/// reset.
void check_resets() {
  for (const int bits : {0, 1}) {
    SingleThreadContext context;
    context.fatalOnError(false);
    context.randReset(bits);
    AppPins block(context, "reset", 1);
    block.reset();
    for (int i = 0; i < 300; ++i) block.cycle();
    require(block.ready(), "not ready after the sweep");
  }
}

void Network::run(std::uint64_t amount) {
  b_.reset();
  for (unsigned i = 0; i < 2; ++i) {
    (i == 0 ? a_ : b_).reset();
    check_after_reset(hosts_[i]);
    (i == 0 ? a_ : b_).reset();
    hosts_[i].bring_up();
  }
  for (Host& host : hosts_) check_registers(host);
  for (Host& host : hosts_) host.sending = true;
  cycles(amount / 2);
  std::array<std::array<std::uint64_t, kFlows>, 2> before = {hosts_[0].arrived(),
                                                             hosts_[1].arrived()};
  cycles(amount - amount / 2);
  std::printf("longest queue %llu bytes, %llu frames marked\n",
              static_cast<unsigned long long>(between_.longest()),
              static_cast<unsigned long long>(between_.marked()));
  for (unsigned host = 0; host < 2 && amount >= kSettled; ++host)
    check_shares(host, before[host], amount - amount / 2);
  drain();
  check_counters();
  check_pause();
  check_counters();
  check_release(hosts_[0]);
  check_long_frame();
  check_pace();
}

}  // namespace
}  // namespace dcc

/// Returns the number of the mutant under test in a build with mutants (mutants.py); 0: the
/// unchanged block.
extern "C" int dcc_mutant() {
  static const char* const chosen = std::getenv("DCC_MUTANT");
  return chosen == nullptr ? 0 : std::atoi(chosen);
}

int main(int argc, char** argv) {
  // 6 ms. The rates settle in the first half. The light flows settle near 512 Mb/s, below which
  // rate steps become smaller.
  std::uint64_t cycles = 1'500'000;
  std::uint64_t seed = 1;
  std::string vectors;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--vectors") == 0)
      vectors = argv[i + 1];
    else
      (std::strcmp(argv[i], "--cycles") == 0 ? cycles : seed) =
          std::strtoull(argv[i + 1], nullptr, 10);
  }
  try {
    if (!vectors.empty()) {
      dcc::Network(static_cast<std::uint32_t>(seed)).record(vectors);
      return 0;
    }
    dcc::check_resets();
    dcc::Network(static_cast<std::uint32_t>(seed)).check_edges();
    dcc::Network(static_cast<std::uint32_t>(seed)).run(cycles);
  } catch (const std::exception& error) {
    std::printf("nic_app_bench: %s\n", error.what());
    return 1;
  }
  std::puts("nic_app_bench: all promises are kept");
  return 0;
}
