#include "rate_recording.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "registers/generated/dcc_map.h"

namespace dcc {
namespace {

constexpr const char* kMagic = "rate-recording";

/// Reads the numbers in a line of a recording, each with its greatest allowed value.
class Numbers {
 public:
  Numbers(const std::string& text, std::string where) : in_(text), where_(std::move(where)) {
    in_ >> word_;
  }
  const std::string& word() const { return word_; }
  template <class T>
  void take(T& value, std::uint64_t greatest) {
    std::uint64_t number = 0;
    if (!(in_ >> number)) throw std::runtime_error(where_ + word_ + " needs more numbers");
    if (number > greatest) {
      throw std::runtime_error(where_ + std::to_string(number) + " is above " +
                               std::to_string(greatest));
    }
    value = static_cast<T>(number);
  }
  void end() {
    std::string rest;
    if (in_ >> rest) throw std::runtime_error(where_ + "'" + rest + "' is too much");
  }

 private:
  std::istringstream in_;
  std::string where_;
  std::string word_;
};

constexpr std::uint64_t kWord = 0xFFFFFFFF;

RateCall read_call(Numbers& in, const std::string& where) {
  if (in.word() == "registers") {
    RateRegisters r;
    regs::dcc_map::each_rate_register(
        r, [&](const char*, auto& value, unsigned, std::uint32_t most) { in.take(value, most); });
    return r;
  }
  if (in.word() == "write") {
    RateTableWrite w;
    in.take(w.table, kRateTables - 1);
    in.take(w.index, entries(w.table) - 1);
    in.take(w.word, kWord);
    return w;
  }
  if (in.word() == "decrease") {
    DecreaseRequest r;
    in.take(r.rc, kWord);
    in.take(r.rt, kWord);
    in.take(r.alpha, kOne16);
    in.take(r.delta, kMaxDelta);
    in.take(r.dscp, kDscps - 1);
    in.take(r.marks, 255);
    in.take(r.first, 1);
    return r;
  }
  if (in.word() == "increase") {
    IncreaseRequest r;
    in.take(r.rc, kWord);
    in.take(r.rt, kWord);
    in.take(r.dscp, kDscps - 1);
    in.take(r.stage, 2);
    in.take(r.packets, kMaxDelta);
    return r;
  }
  throw std::runtime_error(where + "'" + in.word() + "' is no call of a rate unit");
}

}  // namespace

void write_recording(const std::string& path, const RateRecording& recording) {
  std::ofstream out(path);
  out << kMagic << " seed " << recording.seed << " fault " << static_cast<int>(recording.fault)
      << " random " << recording.random_seed << '\n';
  for (const RateCall& call : recording.calls) out << to_string(call) << '\n';
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path);
}

RateRecording read_rate_recording(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  RateRecording recording;
  std::string text;
  std::getline(in, text);
  std::istringstream head(text);
  std::string magic, seed, fault, random;
  int fault_number = 0;
  head >> magic >> seed >> recording.seed >> fault >> fault_number >> random >>
      recording.random_seed;
  if (!head || magic != kMagic || seed != "seed" || fault != "fault" || random != "random" ||
      fault_number < 0 || fault_number > 3) {
    throw std::runtime_error(path + ":1: no recording of a rate unit");
  }
  recording.fault = static_cast<RateFault>(fault_number);
  for (int number = 2; std::getline(in, text); ++number) {
    const std::string where = path + ":" + std::to_string(number) + ": ";
    Numbers numbers(text, where);
    recording.calls.push_back(read_call(numbers, where));
    numbers.end();
  }
  return recording;
}

}  // namespace dcc
