#include "controller_recording.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace dcc {

namespace {
constexpr const char* kNames[] = {"cnp", "bytes", "release", "query", "write", "read", "look"};
constexpr const char* kTitle = "controller recording 1";
}  // namespace

std::string to_string(const ControllerCall& c) {
  std::ostringstream s;
  s << c.time.count << ' ' << kNames[static_cast<int>(c.kind)] << ' ' << c.first << ' ' << c.second
    << ' ' << unsigned{c.dscp} << ' ' << unsigned{c.marks} << ' ' << unsigned{c.packets};
  return s.str();
}

std::string in_words(const ControllerCall& c) {
  std::ostringstream s;
  s << kNames[static_cast<int>(c.kind)];
  const auto flow = [&] { s << " flow " << c.first; };
  switch (c.kind) {
    case ControllerCall::Kind::kCnp:
      flow();
      s << ", DSCP " << unsigned{c.dscp} << ", " << unsigned{c.marks} << " marks of "
        << unsigned{c.packets} << " packets" << (c.packets == 0 ? " (not told)" : "");
      break;
    case ControllerCall::Kind::kBytes:
      flow();
      s << ", DSCP " << unsigned{c.dscp} << ", " << c.second << " bytes";
      break;
    case ControllerCall::Kind::kRelease:
    case ControllerCall::Kind::kQuery:
      flow();
      break;
    case ControllerCall::Kind::kWrite:
    case ControllerCall::Kind::kRead:
      s << std::hex << " 0x" << c.first;
      if (c.kind == ControllerCall::Kind::kWrite) s << " = 0x" << c.second;
      break;
    case ControllerCall::Kind::kLook:
      if (c.first == ControllerCall::kFigures) s << " at the counters";
      if (c.first == ControllerCall::kSlotOf) s << " for the slot of flow " << c.second;
      if (c.first == ControllerCall::kSlot) s << " at slot " << c.second;
      break;
  }
  return s.str();
}

void write_recording(const std::string& path, const ControllerRecording& r) {
  std::ofstream file(path);
  file << kTitle << "\nseed " << r.seed << " slots " << r.slots << " clock " << r.clock_hertz
       << " fault " << r.fault << " end " << r.end.count << '\n';
  for (const ControllerCall& call : r.calls) file << to_string(call) << '\n';
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

ControllerRecording read_controller_recording(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::size_t number = 0;
  std::string line;
  const auto next = [&] {
    ++number;
    return static_cast<bool>(std::getline(file, line));
  };
  const auto wrong = [&](const char* what) {
    throw std::runtime_error(path + ":" + std::to_string(number) + ": " + what);
  };
  if (!next() || line != kTitle) wrong("not a recording of a controller");
  ControllerRecording r;
  std::string seed, slots, clock, fault, end;
  if (!next()) wrong("its head is missing");
  std::istringstream head(line);
  head >> seed >> r.seed >> slots >> r.slots >> clock >> r.clock_hertz >> fault >> r.fault >> end >>
      r.end.count;
  if (!head || seed != "seed" || slots != "slots" || clock != "clock" || fault != "fault" ||
      end != "end" || r.clock_hertz == 0) {
    wrong("its head is not understood");
  }
  while (next()) {
    std::istringstream words(line);
    std::string name;
    ControllerCall call;
    unsigned dscp = 0, marks = 0, packets = 0;
    words >> call.time.count >> name >> call.first >> call.second >> dscp >> marks >> packets;
    int kind = 0;
    while (kind < 7 && name != kNames[kind]) ++kind;
    if (!words || kind == 7 || dscp > 255 || marks > 255 || packets > 255) wrong("not a call");
    if (!r.calls.empty() && call.time < r.calls.back().time) wrong("a call before the one above");
    call.kind = static_cast<ControllerCall::Kind>(kind);
    call.dscp = static_cast<std::uint8_t>(dscp);
    call.marks = static_cast<std::uint8_t>(marks);
    call.packets = static_cast<std::uint8_t>(packets);
    r.calls.push_back(call);
  }
  return r;
}

}  // namespace dcc
