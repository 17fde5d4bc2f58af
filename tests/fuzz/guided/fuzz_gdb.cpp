// Fuzzes the GDB stub with arbitrary conversations of a debugger. The stub answers or refuses each
// packet, never crashes, and leaves no breakpoint after the debugger has gone. A line of the input
// is the contents of a packet; the target adds framing and checksum. A line that begins with '!' is
// sent unchanged.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cpu/gdb_server.h"
#include "guided.h"

namespace {

/// A debug target with registers and a little memory, which records the breakpoints that are set.
class Target final : public dcc::model::DebugTarget {
 public:
  bool debug_read_register(unsigned number, std::uint32_t& value) override {
    value = number < kPcNumber + 1 ? registers_[number] : number;
    return number <= kPcNumber || number >= kFirstCsr;
  }
  bool debug_write_register(unsigned number, std::uint32_t value) override {
    if (number > kPcNumber) return false;
    registers_[number] = value;
    return true;
  }
  std::size_t debug_read_memory(std::uint32_t address, std::uint8_t* data,
                                std::size_t bytes) override {
    std::size_t i = 0;
    for (; i < bytes && address + i >= kBase && address + i < kBase + sizeof memory_; ++i) {
      data[i] = memory_[address + i - kBase];
    }
    return i;
  }
  std::size_t debug_write_memory(std::uint32_t address, const std::uint8_t* data,
                                 std::size_t bytes) override {
    std::size_t i = 0;
    for (; i < bytes && address + i >= kBase && address + i < kBase + sizeof memory_; ++i) {
      memory_[address + i - kBase] = data[i];
    }
    return i;
  }
  void debug_set_breakpoint(std::uint32_t address, bool set) override { mark(address, set); }
  void debug_set_watchpoint(const Watch& watch, bool set) override {
    mark(std::uint64_t{1} << 32 | watch.address, set);
  }
  std::string debug_monitor(const std::string& command) override { return command; }

  /// Number of breakpoints that the debugger has not removed.
  std::size_t points() const { return points_.size(); }

 private:
  static constexpr std::uint64_t kBase = 0x8000'0000;
  /// A breakpoint exists or does not exist, however often the debugger has set it, as in a real
  /// CPU.
  void mark(std::uint64_t key, bool set) {
    if (set) {
      points_.insert(key);
    } else {
      points_.erase(key);
    }
  }
  std::uint32_t registers_[kPcNumber + 1] = {};
  std::uint8_t memory_[256] = {};
  std::set<std::uint64_t> points_;
};

std::string framed(const std::string& contents) {
  static const char kDigits[] = "0123456789abcdef";
  std::uint8_t sum = 0;
  for (const char c : contents) sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(c));
  return "$" + contents + "#" + kDigits[sum >> 4] + kDigits[sum & 15];
}

std::string conversation(const std::uint8_t* data, std::size_t size) {
  std::string bytes;
  std::string line;
  const auto flush = [&] {
    bytes += !line.empty() && line[0] == '!' ? line.substr(1) : framed(line);
    line.clear();
  };
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n') {
      flush();
    } else {
      line += static_cast<char>(data[i]);
    }
  }
  flush();
  return bytes;
}

int connected_to(std::uint16_t port) {
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  const int room = 4 << 20;  // buffer size in bytes for responses that the debugger does not read
  setsockopt(client, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  DCC_REQUIRE(connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  // Closes the connection with a reset, so that no port stays in the state TIME_WAIT.
  const linger none{1, 0};
  setsockopt(client, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  return client;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using dcc::model::DebugStop;
  using dcc::model::GdbServer;
  static Target target;
  static GdbServer server(target, 0);
  const std::string bytes = conversation(data, size);
  const int client = connected_to(server.port());
  DCC_REQUIRE(write(client, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  shutdown(client, SHUT_WR);
  // The CPU alternates between running and stopped until the debugger has left.
  for (std::size_t turn = 0; turn <= bytes.size() + 2; ++turn) {
    if (server.poll(target)) {
      server.serve(target, DebugStop{});
    } else if (!server.attached()) {
      break;  // the server has read all input and its end
    }
  }
  close(client);
  while (server.attached()) {
    if (server.poll(target)) server.serve(target, DebugStop{});
  }
  DCC_REQUIRE(target.points() == 0);
  return 0;
}
