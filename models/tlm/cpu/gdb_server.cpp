#include "cpu/gdb_server.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>
#include <utility>

#include "riscv/csr_file.h"
#include "riscv/disassembler.h"

namespace dcc::model {
namespace {

constexpr std::size_t kMaxMemoryBytes = 4096;
constexpr std::size_t kMaxPoints = 256;
constexpr std::uint64_t kLastAddress = 0xFFFFFFFF;

std::string hex_bytes(const std::uint8_t* data, std::size_t count) {
  static const char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += kDigits[data[i] >> 4];
    text += kDigits[data[i] & 15];
  }
  return text;
}
// Formats a word as hexadecimal bytes in the byte order of the target.
std::string hex_word(std::uint32_t value) {
  const std::uint8_t bytes[] = {
      static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
      static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 24)};
  return hex_bytes(bytes, 4);
}
bool parse_hex_bytes(const std::string& text, std::vector<std::uint8_t>& bytes) {
  if (text.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  return true;
}
bool parse_word(const std::string& text, std::uint32_t& value) {
  std::vector<std::uint8_t> b;
  if (text.size() != 8 || !parse_hex_bytes(text, b)) return false;
  value = b[0] | static_cast<std::uint32_t>(b[1]) << 8 | static_cast<std::uint32_t>(b[2]) << 16 |
          static_cast<std::uint32_t>(b[3]) << 24;
  return true;
}
/// Reads a hexadecimal number at position `at`, and moves `at` behind the number and one separator.
bool take_number(const std::string& text, std::size_t& at, std::uint64_t& value) {
  value = 0;
  const std::size_t start = at;
  for (; at < text.size() && hex_digit(text[at]) >= 0; ++at) {
    if (at - start >= 16) return false;
    value = value << 4 | static_cast<std::uint64_t>(hex_digit(text[at]));
  }
  if (at == start) return false;
  if (at < text.size()) ++at;
  return true;
}
bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

std::string target_description() {
  std::string xml =
      "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
      "<architecture>riscv:rv32</architecture><feature name=\"org.gnu.gdb.riscv.cpu\">";
  for (unsigned i = 0; i < 32; ++i) {
    const char* type = i == 1 ? "code_ptr" : i >= 2 && i <= 4 ? "data_ptr" : "int";
    xml += std::string("<reg name=\"") + riscv::register_name(i) + "\" bitsize=\"32\" type=\"" +
           type + "\" regnum=\"" + std::to_string(i) + "\"/>";
  }
  xml += "<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"32\"/></feature>";
  xml += "<feature name=\"org.gnu.gdb.riscv.csr\">";
  for (std::uint32_t n = 0; n < 4096; ++n) {
    if (const char* name = riscv::csr_name(n)) {
      xml += std::string("<reg name=\"") + name + "\" bitsize=\"32\" regnum=\"" +
             std::to_string(DebugTarget::kFirstCsr + n) + "\"/>";
    }
  }
  return xml + "</feature></target>";
}

}  // namespace

bool GdbServer::poll(const DebugTarget& self) {
  stopped_ = selected_ = index_of(self);
  while (const auto input = connection_.receive(0)) {
    if (input->kind == GdbConnection::Input::kClosed) {
      leave();
      continue;
    }
    if (input->kind == GdbConnection::Input::kInterrupt) {
      if (attached_) return true;
      continue;
    }
    // Detects that a debugger connects: gdb halts the target by connecting and sends nothing else
    // while the target runs.
    const bool newcomer = !attached_;
    attached_ = true;
    if (handle(input->packet)) {
      if (resume_ == Resume::kKill) return true;
      continue;
    }
    if (newcomer || !reply_due_) return attached_;
  }
  return false;
}

GdbServer::Resume GdbServer::wait_for_debugger() {
  while (!attached_) {
    const auto input = connection_.receive(-1);
    if (!input || input->kind != GdbConnection::Input::kPacket) continue;
    attached_ = true;
    last_stop_ = DebugStop{};
    if (handle(input->packet)) return resume_;
  }
  return serve(*targets_[0], DebugStop{});
}

std::size_t GdbServer::index_of(const DebugTarget& self) const {
  const auto at = std::find(targets_.begin(), targets_.end(), &self);
  return static_cast<std::size_t>(at - targets_.begin());
}

GdbServer::Resume GdbServer::serve(const DebugTarget& self, const DebugStop& stop) {
  stopped_ = selected_ = index_of(self);
  last_stop_ = stop;
  if (reply_due_) {
    if (!stop.note.empty()) console(stop.note);
    report(stop);
    reply_due_ = false;
  }
  for (;;) {
    if (!attached_) return resume_ == Resume::kKill ? Resume::kKill : Resume::kContinue;
    const auto input = connection_.receive(-1);
    if (!input) continue;
    if (input->kind == GdbConnection::Input::kClosed) {
      leave();
      return Resume::kContinue;
    }
    // ignores Ctrl-C, since the CPU is stopped already
    if (input->kind == GdbConnection::Input::kInterrupt) continue;
    if (handle(input->packet)) return resume_;
  }
}

void GdbServer::report(const DebugStop& stop) {
  static const char kDigits[] = "0123456789abcdef";
  std::string text = "T";
  text += kDigits[stop.signal >> 4 & 15];
  text += kDigits[stop.signal & 15];
  connection_.send(text + "thread:" + std::to_string(stopped_ + 1) + ";" + stop.extra);
}

void GdbServer::report_exit(std::uint32_t code) {
  if (!attached_ || !reply_due_) return;
  const std::uint8_t byte = static_cast<std::uint8_t>(code);
  connection_.send("W" + hex_bytes(&byte, 1));
  reply_due_ = false;
}

void GdbServer::console(const std::string& text) {
  connection_.send("O" +
                   hex_bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

void GdbServer::leave() {
  const std::vector<Point> points = std::move(points_);
  points_.clear();
  for (const Point& point : points) apply(point, false);
  follow(std::vector<DebugTarget::Follow>(targets_.size(), DebugTarget::Follow::kContinue));
  attached_ = false;
  reply_due_ = false;
  connection_.close_client();
}

bool GdbServer::handle(const std::string& packet) {
  switch (packet.empty() ? '\0' : packet[0]) {
    case '?':
      report(last_stop_);
      return false;
    case 'g':
      read_registers();
      return false;
    case 'G':
      write_registers(packet);
      return false;
    case 'p':
      read_register(packet);
      return false;
    case 'P':
      write_register(packet);
      return false;
    case 'm':
      read_memory(packet);
      return false;
    case 'M':
      write_memory(packet, false);
      return false;
    case 'X':
      write_memory(packet, true);
      return false;
    case 'Z':
    case 'z':
      handle_point(packet);
      return false;
    case 'q':
    case 'Q':
      handle_query(packet);
      return false;
    case 'H':
      select_thread(packet);
      return false;
    case 'T':
      connection_.send(thread_of(packet.substr(1)) ? "OK" : "E01");
      return false;
    case 'D':
      connection_.send("OK");
      leave();
      resume_ = Resume::kContinue;
      return true;
    case 'k':
      leave();
      resume_ = Resume::kKill;
      return true;
    case 'b':
      return handle_reverse(packet);
    case 'c':
    case 's':
    case 'v':
      return handle_resume(packet);
    default:
      connection_.send("");
      return false;
  }
}

std::optional<std::size_t> GdbServer::thread_of(const std::string& text) const {
  std::size_t at = 0;
  std::uint64_t number = 0;
  if (!take_number(text, at, number) || number > targets_.size()) return std::nullopt;
  return number == 0 ? stopped_ : static_cast<std::size_t>(number - 1);
}

// Selects the thread of register accesses (command Hg). The command Hc is for debuggers without
// vCont, to which any thread is as good as the stopped one.
void GdbServer::select_thread(const std::string& packet) {
  const std::string thread = packet.size() > 2 ? packet.substr(2) : "0";
  if (thread == "-1") {
    connection_.send("OK");
    return;
  }
  const std::optional<std::size_t> index = thread_of(thread);
  if (index && packet[1] == 'g') selected_ = *index;
  connection_.send(index ? "OK" : "E01");
}

// Resumes the harts that the debugger chose. If none of the chosen harts can run, the debugger
// would wait for ever, so the other harts are resumed, too.
void GdbServer::follow(const std::vector<DebugTarget::Follow>& wanted) {
  using Follow = DebugTarget::Follow;
  bool any = false;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    any = any || (wanted[i] != Follow::kHold && targets_[i]->debug_can_run());
  }
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const Follow one = any ? wanted[i] : Follow::kContinue;
    if (i != stopped_) {
      targets_[i]->debug_follow(one);
    } else {
      resume_ = one == Follow::kStep   ? Resume::kStep
                : one == Follow::kHold ? Resume::kHold
                                       : Resume::kContinue;
    }
  }
}

bool GdbServer::handle_resume(const std::string& packet) {
  using Follow = DebugTarget::Follow;
  if (packet == "vCont?") {
    connection_.send("vCont;c;C;s;S");
    return false;
  }
  if (starts_with(packet, "vKill")) {
    connection_.send("OK");
    leave();
    resume_ = Resume::kKill;
    return true;
  }
  // Each hart follows the first vCont action that names its thread; an action without a thread
  // applies to all harts.
  std::vector<Follow> wanted(targets_.size(), Follow::kHold);
  std::vector<bool> named(targets_.size(), false);
  std::string actions = packet;
  if (starts_with(packet, "vCont;")) {
    actions = packet.substr(6);
  } else {
    actions = packet.substr(0, 1) + ":" + std::to_string(stopped_ + 1) + ";c";
  }
  std::istringstream list(actions);
  for (std::string action; std::getline(list, action, ';');) {
    const int verb = action.empty() ? 0 : std::tolower(static_cast<unsigned char>(action[0]));
    const std::size_t colon = action.find(':');
    const std::string thread = colon == std::string::npos ? "-1" : action.substr(colon + 1);
    const std::optional<std::size_t> index = thread_of(thread);
    if ((verb != 'c' && verb != 's') || (!index && thread != "-1")) {
      named.assign(named.size(), false);
      break;
    }
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (named[i] || (index && *index != i)) continue;
      named[i] = true;
      wanted[i] = verb == 's' ? Follow::kStep : Follow::kContinue;
    }
  }
  if (std::find(named.begin(), named.end(), true) == named.end()) {
    connection_.send("");
    return false;
  }
  follow(wanted);
  reply_due_ = true;
  return true;
}

bool GdbServer::handle_reverse(const std::string& packet) {
  if ((packet != "bc" && packet != "bs") || !targets_[0]->debug_goes_back()) {
    connection_.send("");
    return false;
  }
  resume_ = packet == "bc" ? Resume::kBack : Resume::kStepBack;
  reply_due_ = true;
  return true;
}

// Restores the session without sending a reply: the debugger already got this reply at a later
// simulated time, over the same connection.
void GdbServer::restore_session(const std::string& session) {
  suspend_points(true);
  points_.clear();
  std::istringstream text(session);
  bool acknowledging = true;
  std::size_t count = 0;
  text >> acknowledging >> count;
  if (!acknowledging) connection_.acknowledge_no_more();
  for (Point point; count != 0; --count) {
    text >> point.type >> point.address >> point.bytes;
    points_.push_back(point);
  }
  text.get();
  connection_.set_unread(std::string(std::istreambuf_iterator<char>(text), {}));
  reply_due_ = true;
}

std::string GdbServer::save_session() const {
  std::ostringstream text;
  text << connection_.acknowledging() << ' ' << points_.size();
  for (const Point& point : points_) {
    text << ' ' << point.type << ' ' << point.address << ' ' << point.bytes;
  }
  text << '\n' << connection_.unread();
  return text.str();
}

void GdbServer::suspend_points(bool suspended) {
  const std::vector<Point> points = std::move(points_);
  // removes breakpoints and watchpoints that only the disconnected debugger had set
  points_.clear();
  for (const Point& point : points) {
    apply(point, !suspended);
  }
  points_ = points;
}

void GdbServer::handle_query(const std::string& packet) {
  if (starts_with(packet, "qSupported")) {
    connection_.send(std::string("PacketSize=2100;qXfer:features:read+;QStartNoAckMode+;"
                                 "vContSupported+") +
                     (targets_[0]->debug_goes_back() ? ";ReverseStep+;ReverseContinue+" : ""));
  } else if (packet == "QStartNoAckMode") {
    connection_.send("OK");
    connection_.acknowledge_no_more();
  } else if (starts_with(packet, "qXfer:features:read:target.xml:")) {
    transfer_description(packet);
  } else if (starts_with(packet, "qRcmd,")) {
    monitor(packet.substr(6));
  } else if (packet == "qAttached") {
    connection_.send("1");
  } else if (packet == "qC") {
    connection_.send("QC" + std::to_string(stopped_ + 1));
  } else if (packet == "qfThreadInfo") {
    std::string threads = "m1";
    for (std::size_t i = 1; i < targets_.size(); ++i) threads += "," + std::to_string(i + 1);
    connection_.send(threads);
  } else if (starts_with(packet, "qThreadExtraInfo,")) {
    const std::optional<std::size_t> index = thread_of(packet.substr(17));
    const std::string text = "hart " + std::to_string(index.value_or(0));
    connection_.send(
        index ? hex_bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()) : "E01");
  } else if (packet == "qsThreadInfo") {
    connection_.send("l");
  } else {
    connection_.send("");
  }
}

void GdbServer::transfer_description(const std::string& packet) {
  static const std::string description = target_description();
  std::size_t at = packet.rfind(':') + 1;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  if (!take_number(packet, at, offset) || !take_number(packet, at, length) ||
      offset > description.size()) {
    connection_.send("E01");
    return;
  }
  const std::string part = description.substr(offset, std::min<std::uint64_t>(length, 8192));
  const bool last = offset + part.size() == description.size();
  connection_.send((last ? "l" : "m") + part);
}

void GdbServer::monitor(const std::string& hex_command) {
  std::vector<std::uint8_t> bytes;
  if (!parse_hex_bytes(hex_command, bytes)) {
    connection_.send("E01");
    return;
  }
  std::string answer = selected().debug_monitor(std::string(bytes.begin(), bytes.end()));
  if (answer.empty() || answer.back() != '\n') answer += '\n';
  for (std::size_t at = 0; at < answer.size(); at += 2048) console(answer.substr(at, 2048));
  connection_.send("OK");
}

void GdbServer::read_registers() {
  std::string text;
  for (unsigned i = 0; i <= DebugTarget::kPcNumber; ++i) {
    std::uint32_t value = 0;
    selected().debug_read_register(i, value);
    text += hex_word(value);
  }
  connection_.send(text);
}

void GdbServer::write_registers(const std::string& packet) {
  bool good = packet.size() == 1 + 8 * (DebugTarget::kPcNumber + 1);
  std::vector<std::uint32_t> values(DebugTarget::kPcNumber + 1);
  for (unsigned i = 0; good && i <= DebugTarget::kPcNumber; ++i) {
    good = parse_word(packet.substr(1 + 8 * i, 8), values[i]);
  }
  for (unsigned i = 0; good && i <= DebugTarget::kPcNumber; ++i) {
    selected().debug_write_register(i, values[i]);
  }
  wrote_ = wrote_ || good;
  connection_.send(good ? "OK" : "E01");
}

void GdbServer::read_register(const std::string& packet) {
  std::size_t at = 1;
  std::uint64_t number = 0;
  std::uint32_t value = 0;
  const bool good = take_number(packet, at, number) && number < DebugTarget::kFirstCsr + 4096 &&
                    selected().debug_read_register(static_cast<unsigned>(number), value);
  connection_.send(good ? hex_word(value) : "E01");
}

void GdbServer::write_register(const std::string& packet) {
  std::size_t at = 1;
  std::uint64_t number = 0;
  std::uint32_t value = 0;
  const bool good = take_number(packet, at, number) && number < DebugTarget::kFirstCsr + 4096 &&
                    parse_word(packet.substr(std::min(at, packet.size())), value) &&
                    selected().debug_write_register(static_cast<unsigned>(number), value);
  wrote_ = wrote_ || good;
  connection_.send(good ? "OK" : "E01");
}

void GdbServer::read_memory(const std::string& packet) {
  std::size_t at = 1;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  if (!take_number(packet, at, address) || !take_number(packet, at, length)) {
    connection_.send("E01");
    return;
  }
  if (address > kLastAddress) {
    connection_.send("E14");
    return;
  }
  std::vector<std::uint8_t> data(std::min<std::uint64_t>(length, kMaxMemoryBytes));
  const std::size_t count =
      selected().debug_read_memory(static_cast<std::uint32_t>(address), data.data(), data.size());
  connection_.send(count == 0 && !data.empty() ? "E14" : hex_bytes(data.data(), count));
}

void GdbServer::write_memory(const std::string& packet, bool binary) {
  std::size_t at = 1;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  std::vector<std::uint8_t> data;
  bool good = take_number(packet, at, address) && take_number(packet, at, length) &&
              length <= kMaxMemoryBytes && address <= kLastAddress;
  if (good) {
    const std::string body = packet.substr(std::min(at, packet.size()));
    if (binary) {
      data.assign(body.begin(), body.end());
    } else {
      good = parse_hex_bytes(body, data);
    }
    good = good && data.size() == length;
  }
  if (!good) {
    connection_.send("E01");
    return;
  }
  const std::size_t count =
      selected().debug_write_memory(static_cast<std::uint32_t>(address), data.data(), data.size());
  wrote_ = wrote_ || count != 0;
  connection_.send(count == data.size() ? "OK" : "E14");
}

void GdbServer::handle_point(const std::string& packet) {
  std::size_t at = 3;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  const bool good = packet.size() > 3 && packet[2] == ',' && take_number(packet, at, address) &&
                    take_number(packet, at, bytes);
  if (!good || packet[1] < '0' || packet[1] > '4') {
    connection_.send("");
    return;
  }
  const Point point{packet[1], static_cast<std::uint32_t>(address),
                    static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 4096))};
  const auto known = std::find(points_.begin(), points_.end(), point);
  if (packet[0] == 'z') {
    if (known != points_.end()) {
      points_.erase(known);
      apply(point, false);
    }
  } else if (known == points_.end()) {
    if (points_.size() >= kMaxPoints) {
      connection_.send("E0c");
      return;
    }
    apply(point, true);
    points_.push_back(point);
  }
  connection_.send("OK");
}

void GdbServer::apply(const Point& point, bool set) {
  const auto is_breakpoint = [](const Point& p) { return p.type <= '1'; };
  if (is_breakpoint(point)) {
    // Hardware and software breakpoints are equal to the CPU, which stops at an address as long as
    // a breakpoint of either kind is set there.
    const bool another = std::any_of(points_.begin(), points_.end(), [&](const Point& p) {
      return is_breakpoint(p) && p.address == point.address;
    });
    for (DebugTarget* const target : targets_) {
      if (set || !another) target->debug_set_breakpoint(point.address, set);
    }
    return;
  }
  DebugTarget::Watch watch{point.address, point.bytes, false, false};
  watch.loads = point.type != '2';
  watch.stores = point.type != '3';
  for (DebugTarget* const target : targets_) target->debug_set_watchpoint(watch, set);
}

}  // namespace dcc::model
