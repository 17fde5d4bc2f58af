// Packets of the GDB remote serial protocol over one TCP connection on the loopback interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dcc::model {

/// Listens on 127.0.0.1 and serves one client at a time; further ones wait in the queue of the
/// operating system. Framing, checksums and acknowledgements are dealt with here (GDB manual,
/// "Remote Protocol", Overview). Whatever arrives that is not a packet is thrown away.
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
  void close_client();

 private:
  static constexpr std::size_t kMaxBuffered = 64 * 1024;
  bool accept_client(int timeout_ms);
  bool read_more(int timeout_ms);
  std::optional<Input> take_packet();
  void write_all(const std::string& bytes);

  int listener_ = -1;
  int client_ = -1;
  std::uint16_t port_ = 0;
  bool acknowledging_ = true;
  bool closed_ = false;
  std::string buffer_;
};

}  // namespace dcc::model
