// Packets of the GDB remote serial protocol over one TCP connection on the loopback interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace dcc::model {

/// The value of a hexadecimal digit; -1 for any other character.
int hex_digit(char c);

/// Listens on 127.0.0.1 and serves one client at a time. A client that has not sent a valid packet
/// yet is replaced by the next client; later clients are refused. Handles framing, checksums and
/// acknowledgements (GDB manual, "Remote Protocol", Overview). Discards bytes that form no packet.
/// Closes the connection of a client that sends 64 KiB of such bytes or does not accept output for
/// two seconds.
class GdbConnection {
 public:
  /// Listens on a TCP port; 0: any free port. Throws std::runtime_error if it cannot listen.
  explicit GdbConnection(std::uint16_t port);
  GdbConnection(const GdbConnection&) = delete;
  GdbConnection& operator=(const GdbConnection&) = delete;
  ~GdbConnection();

  std::uint16_t port() const { return port_; }
  bool connected() const { return client_ >= 0; }

  struct Input {
    enum Kind { kPacket, kInterrupt, kClosed } kind = kClosed;
    std::string packet;  // contents of a received packet, without escapes
  };
  /// Returns the client's next packet, Ctrl-C or the end of the connection; empty if nothing
  /// arrives within `timeout_ms` (-1: no limit).
  std::optional<Input> receive(int timeout_ms);
  void send(const std::string& contents);
  void acknowledge_no_more() { acknowledging_ = false; }
  bool acknowledging() const { return acknowledging_; }
  void close_client();
  /// Bytes that were received from the client and not yet parsed.
  const std::string& unread() const { return buffer_; }
  void set_unread(std::string unread) { buffer_ = std::move(unread); }

 private:
  static constexpr std::size_t kMaxBuffered = 64 * 1024;
  bool accept_client(int timeout_ms);
  /// Handles a second client that connects while a client is connected.
  void meet_newcomer();
  void adopt(int client);
  bool read_more(int timeout_ms);
  std::optional<Input> take_packet();
  void write_all(const std::string& bytes);

  int listener_ = -1;
  int client_ = -1;
  std::uint16_t port_ = 0;
  bool acknowledging_ = true;
  bool closed_ = false;
  bool proven_ = false;       // true if the client has sent a valid packet
  std::size_t unproven_ = 0;  // number of bytes received before the client's first valid packet
  std::string buffer_;
};

}  // namespace dcc::model
