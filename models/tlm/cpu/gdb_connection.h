// Packets of the GDB remote serial protocol over one TCP connection on the loopback interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace dcc::model {

/// The value of a hexadecimal digit; -1 for any other character.
int hex_digit(char c);

/// Listens on 127.0.0.1 and serves one client at a time. One that has not said a valid packet yet
/// gives way to the next who comes; after that, others are turned away. Framing, checksums and
/// acknowledgements are dealt with here (GDB manual, "Remote Protocol", Overview). Whatever arrives
/// that is not a packet is thrown away; who sends 64 KiB of it, or does not take what is sent for
/// two seconds, is cut off.
class GdbConnection {
 public:
  /// Port 0: any free one. Throws std::runtime_error if it cannot listen.
  explicit GdbConnection(std::uint16_t port);
  GdbConnection(const GdbConnection&) = delete;
  GdbConnection& operator=(const GdbConnection&) = delete;
  ~GdbConnection();

  std::uint16_t port() const { return port_; }
  bool connected() const { return client_ >= 0; }

  struct Input {
    enum Kind { kPacket, kInterrupt, kClosed } kind = kClosed;
    std::string packet;  // contents, unescaped
  };
  /// The next packet, Ctrl-C or end of connection; nothing within `timeout_ms` (-1: for ever).
  std::optional<Input> receive(int timeout_ms);
  void send(const std::string& contents);
  void acknowledge_no_more() { acknowledging_ = false; }
  bool acknowledging() const { return acknowledging_; }
  void close_client();
  /// What has come and nobody has asked for yet.
  const std::string& unread() const { return buffer_; }
  void set_unread(std::string unread) { buffer_ = std::move(unread); }

 private:
  static constexpr std::size_t kMaxBuffered = 64 * 1024;
  bool accept_client(int timeout_ms);
  /// Somebody knocks while a client is there.
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
  bool proven_ = false;       // has said a valid packet
  std::size_t unproven_ = 0;  // bytes before that
  std::string buffer_;
};

}  // namespace dcc::model
