#include "cpu/semihosting.h"

#include <algorithm>
#include <string>

namespace dcc::model {
namespace {

enum Operation : std::uint32_t {
  kOpen = 0x01,
  kClose = 0x02,
  kWriteC = 0x03,
  kWrite0 = 0x04,
  kWrite = 0x05,
  kRead = 0x06,
  kReadC = 0x07,
  kIsError = 0x08,
  kIsTty = 0x09,
  kSeek = 0x0A,
  kFileLength = 0x0C,
  kClock = 0x10,
  kTime = 0x11,
  kErrno = 0x13,
  kCommandLine = 0x15,
  kHeapInfo = 0x16,
  kExit = 0x18,
  kExitExtended = 0x20,
  kElapsed = 0x30,
  kTickFrequency = 0x31,
};

// semihosting handles of the console and of the feature file
constexpr std::uint32_t kConsole = 1, kFeatures = 4;
constexpr std::uint32_t kMinusOne = 0xFFFFFFFF;
// reason code ADP_Stopped_ApplicationExit of a successful exit
constexpr std::uint32_t kApplicationExit = 0x20026;
// maximum number of bytes that one semihosting call transfers
constexpr std::uint32_t kMaxBytes = 1u << 20;
// semihosting error numbers (errno)
constexpr std::uint32_t kBadHandle = 9, kNoFile = 2, kNoCall = 38, kBadAddress = 14;
// Contents of the feature file: magic number, then one byte: SYS_EXIT_EXTENDED (bit 0), separate
// stdout and stderr (bit 1).
constexpr std::array<std::uint8_t, 5> kFeatureList = {'S', 'H', 'F', 'B', 0x01};

bool is_open(std::uint32_t handle) { return handle == kConsole || handle == kFeatures; }

std::uint32_t le32(const std::uint8_t* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8 |
         static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}
}  // namespace

std::uint32_t Semihosting::fail(std::uint32_t number) {
  errno_ = number;
  return kMinusOne;
}

std::uint32_t Semihosting::open(const std::array<std::uint32_t, 3>& block, const Machine& machine) {
  std::string name(std::min<std::uint32_t>(block[2], 64), 0);
  if (!machine.read(block[0], reinterpret_cast<std::uint8_t*>(name.data()), name.size())) {
    return fail(kBadAddress);
  }
  if (name == ":tt") return kConsole;
  if (name != ":semihosting-features") return fail(kNoFile);
  features_at_ = 0;
  return kFeatures;
}

// Reads console input and returns the number of bytes that were not read.
std::uint32_t Semihosting::read(const std::array<std::uint32_t, 3>& block, const Machine& machine) {
  if (!is_open(block[0])) return fail(kBadHandle);
  if (block[0] == kConsole) return block[2];  // no byte was read, since the console has no input
  const auto size = static_cast<std::uint32_t>(kFeatureList.size());
  const std::uint32_t bytes = std::min(block[2], size - features_at_);
  if (!machine.write(block[1], kFeatureList.data() + features_at_, bytes)) {
    return fail(kBadAddress);
  }
  features_at_ += bytes;
  return block[2] - bytes;
}

Semihosting::Answer Semihosting::call(std::uint32_t operation, std::uint32_t parameter,
                                      const Machine& machine) {
  std::array<std::uint32_t, 3> block{};
  const auto get = [&](std::size_t words) {
    std::array<std::uint8_t, 12> bytes{};
    if (!machine.read(parameter, bytes.data(), 4 * words)) return false;
    for (std::size_t i = 0; i < words; ++i) block[i] = le32(&bytes[4 * i]);
    return true;
  };
  const auto put = [&](std::uint32_t at, std::uint64_t value, std::size_t bytes) {
    std::array<std::uint8_t, 8> out{};
    for (std::size_t i = 0; i < 8; ++i) out[i] = static_cast<std::uint8_t>(value >> 8 * i);
    return machine.write(at, out.data(), bytes);
  };
  const auto print = [&](std::uint32_t at, std::uint32_t bytes, bool to_zero) {
    std::uint8_t c = 0;
    for (std::uint32_t i = 0; i < std::min(bytes, kMaxBytes); ++i) {
      if (!machine.read(at + i, &c, 1) || (to_zero && c == 0)) return i;
      machine.console(static_cast<char>(c));
    }
    return bytes;
  };
  switch (operation) {
    case kOpen:
      return {get(3) ? open(block, machine) : fail(kBadAddress)};
    case kClose:
    case kIsTty:
      if (!get(1) || !is_open(block[0])) return {fail(kBadHandle)};
      return {operation == kIsTty && block[0] == kConsole ? 1u : 0u};
    case kWriteC:
      print(parameter, 1, false);
      return {0};
    case kWrite0:
      print(parameter, kMaxBytes, true);
      return {0};
    case kWrite:
      if (!get(3) || block[0] != kConsole) return {fail(kBadHandle)};
      return {block[2] - print(block[1], block[2], false)};
    case kRead:
      return {get(3) ? read(block, machine) : fail(kBadAddress)};
    case kIsError:
      return {get(1) && static_cast<std::int32_t>(block[0]) < 0 ? 1u : 0u};
    case kSeek:
      if (!get(2) || block[0] != kFeatures || block[1] > kFeatureList.size()) {
        return {fail(kBadHandle)};
      }
      features_at_ = block[1];
      return {0};
    case kFileLength:
      if (!get(1) || !is_open(block[0])) return {fail(kBadHandle)};
      return {block[0] == kFeatures ? static_cast<std::uint32_t>(kFeatureList.size()) : 0u};
    case kClock:
      return {static_cast<std::uint32_t>(machine.now_ns / 10'000'000)};
    case kTime:
      return {static_cast<std::uint32_t>(machine.now_ns / 1'000'000'000)};
    case kElapsed:
      return {put(parameter, machine.now_ns, 8) ? 0 : fail(kBadAddress)};
    case kTickFrequency:
      return {1'000'000'000};
    case kErrno:
      return {errno_};
    case kCommandLine:  // returns an empty command line
      if (!get(2) || block[1] == 0 || !put(block[0], 0, 1)) return {fail(kBadAddress)};
      put(parameter + 4, 0, 4);
      return {0};
    case kHeapInfo:  // returns four zero words, so the program chooses heap and stack
      if (!get(1) || !put(block[0], 0, 8) || !put(block[0] + 8, 0, 8)) return {fail(kBadAddress)};
      return {0};
    case kExit:
      return {parameter == kApplicationExit ? 0u : 1u, true};
    case kExitExtended:
      if (!get(2)) return {1, true};
      return {block[0] == kApplicationExit ? block[1] : 1u, true};
    default:
      return {fail(kNoCall)};
  }
}

}  // namespace dcc::model
