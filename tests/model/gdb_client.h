// A debugger's end of a GDB connection for tests: packets over TCP, with one response for each
// packet.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace dcc::model {

class GdbClient {
 public:
  explicit GdbClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const timeval patience{20, 0};  // time after which a missing response counts as a hang
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  GdbClient(const GdbClient&) = delete;
  GdbClient& operator=(const GdbClient&) = delete;
  ~GdbClient() { ::close(socket_); }

  bool connected() const { return connected_; }
  void raw(const std::string& bytes) const {
    (void)!::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  static std::string framed(const std::string& body) {
    unsigned sum = 0;
    for (const char c : body) sum += static_cast<unsigned char>(c);
    char end[4];
    std::snprintf(end, sizeof end, "#%02x", sum & 255);
    return "$" + body + end;
  }
  void send(const std::string& body) const { raw(framed(body)); }
  /// The next character; 0 if the stub has closed the connection or sends nothing.
  char next() const {
    char c = 0;
    return ::recv(socket_, &c, 1, 0) == 1 ? c : '\0';
  }
  /// Content of the next packet. Acknowledgements are skipped.
  std::string receive() const {
    char c = next();
    while (c != '$' && c != '\0') c = next();
    std::string body;
    for (c = next(); c != '#' && c != '\0'; c = next()) body += c;
    next();
    next();
    raw("+");
    return body;
  }
  std::string ask(const std::string& body) const {
    send(body);
    return receive();
  }
  /// Sends `monitor TEXT` and returns its output.
  std::string monitor(const std::string& text) const {
    std::string hex;
    char digits[3];
    for (const char c : text) {
      std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(c));
      hex += digits;
    }
    std::string printed;
    std::string reply = ask("qRcmd," + hex);
    while (!reply.empty() && reply[0] == 'O' && reply != "OK") {
      printed += decoded(reply.substr(1));
      reply = receive();
    }
    return reply == "OK" ? printed : printed + decoded(reply);
  }
  static std::string decoded(const std::string& hex) {
    std::string text;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
      text += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    return text;
  }

 private:
  int socket_;
  bool connected_ = false;
};

}  // namespace dcc::model
