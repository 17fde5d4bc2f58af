#include "cpu/gdb_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace dcc::model {
namespace {

constexpr char kCtrlC = 3;

constexpr int kSendTimeoutS = 2;

bool wait_for(pollfd* entries, nfds_t count, int timeout_ms) {
  int result = 0;
  do {
    result = ::poll(entries, count, timeout_ms);
  } while (result < 0 && errno == EINTR);
  return result > 0;
}

std::uint8_t checksum(const std::string& text) {
  std::uint8_t sum = 0;
  for (const char c : text) sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(c));
  return sum;
}

}  // namespace

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

GdbConnection::GdbConnection(std::uint16_t port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t length = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 || ::bind(listener_, generic, sizeof address) != 0 ||
      ::listen(listener_, 1) != 0 || ::getsockname(listener_, generic, &length) != 0) {
    const std::string why = std::strerror(errno);
    if (listener_ >= 0) ::close(listener_);
    throw std::runtime_error("gdb: cannot listen on 127.0.0.1:" + std::to_string(port) + ": " +
                             why);
  }
  port_ = ntohs(address.sin_port);
}

GdbConnection::~GdbConnection() {
  close_client();
  ::close(listener_);
}

void GdbConnection::close_client() {
  if (client_ >= 0) ::close(client_);
  client_ = -1;
  closed_ = false;
  buffer_.clear();
  acknowledging_ = true;
  proven_ = false;
  unproven_ = 0;
}

void GdbConnection::adopt(int client) {
  close_client();
  client_ = client;
  const int yes = 1;
  ::setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const timeval patience{kSendTimeoutS, 0};
  ::setsockopt(client_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

bool GdbConnection::accept_client(int timeout_ms) {
  pollfd entry{listener_, POLLIN, 0};
  if (!wait_for(&entry, 1, timeout_ms)) return false;
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return false;
  adopt(client);
  return true;
}

void GdbConnection::meet_newcomer() {
  const int newcomer = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (newcomer < 0) return;
  if (proven_) {
    ::close(newcomer);
  } else {
    adopt(newcomer);
  }
}

bool GdbConnection::read_more(int timeout_ms) {
  pollfd entries[2] = {{client_, POLLIN, 0}, {listener_, POLLIN, 0}};
  if (!wait_for(entries, 2, timeout_ms)) return false;
  if (entries[0].revents == 0) {
    meet_newcomer();
    return true;
  }
  char block[4096];
  const ssize_t count = ::recv(client_, block, sizeof block, 0);
  if (count <= 0) {
    closed_ = true;
    return false;
  }
  buffer_.append(block, static_cast<std::size_t>(count));
  if (!proven_ && (unproven_ += static_cast<std::size_t>(count)) > kMaxBuffered) closed_ = true;
  return true;
}

std::optional<GdbConnection::Input> GdbConnection::receive(int timeout_ms) {
  if (!connected() && !accept_client(timeout_ms)) return std::nullopt;
  while (!closed_) {
    if (std::optional<Input> input = take_packet()) return input;
    if (!closed_ && !read_more(timeout_ms) && !closed_) return std::nullopt;
  }
  close_client();
  return Input{Input::kClosed, ""};
}

// Takes the first packet or Ctrl-C out of the buffer of received bytes. Requests retransmission of
// damaged packets.
std::optional<GdbConnection::Input> GdbConnection::take_packet() {
  for (;;) {
    std::size_t start = 0;
    while (start < buffer_.size() && buffer_[start] != '$' && buffer_[start] != kCtrlC) ++start;
    buffer_.erase(0, start);
    if (buffer_.empty()) return std::nullopt;
    if (buffer_[0] == kCtrlC) {
      buffer_.erase(0, 1);
      return Input{Input::kInterrupt, ""};
    }
    const std::size_t hash = buffer_.find('#');
    if (hash == std::string::npos || hash + 2 >= buffer_.size()) {
      // discards the received bytes, because no packet ends within the maximum length
      if (buffer_.size() > kMaxBuffered) buffer_.clear();
      return std::nullopt;
    }
    const std::string body = buffer_.substr(1, hash - 1);
    const int high = hex_digit(buffer_[hash + 1]);
    const int low = hex_digit(buffer_[hash + 2]);
    buffer_.erase(0, hash + 3);
    const bool good = high >= 0 && low >= 0 && checksum(body) == high * 16 + low;
    if (acknowledging_) write_all(good ? "+" : "-");
    if (!good) continue;
    proven_ = true;
    std::string contents;
    for (std::size_t i = 0; i < body.size(); ++i) {
      const bool escaped = body[i] == '}' && i + 1 < body.size();
      contents += escaped ? static_cast<char>(body[++i] ^ 0x20) : body[i];
    }
    return Input{Input::kPacket, contents};
  }
}

void GdbConnection::send(const std::string& contents) {
  if (!connected()) return;
  std::string body;
  for (const char c : contents) {
    if (c == '$' || c == '#' || c == '}' || c == '*') {
      body += '}';
      body += static_cast<char>(c ^ 0x20);
    } else {
      body += c;
    }
  }
  static const char kDigits[] = "0123456789abcdef";
  const std::uint8_t sum = checksum(body);
  write_all("$" + body + "#" + kDigits[sum >> 4] + kDigits[sum & 15]);
}

void GdbConnection::write_all(const std::string& bytes) {
  std::size_t done = 0;
  while (!closed_ && done < bytes.size()) {
    const ssize_t count = ::send(client_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      closed_ =
          true;  // closes the connection, since the debugger has disconnected or does not read
      return;
    }
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace dcc::model
