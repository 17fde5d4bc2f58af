// Code shared by the replay programs: arguments, the waveform, the loop over the recorded calls.
#pragma once

#include <verilated_fst_c.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>

namespace dcc {

struct ReplayOptions {
  std::string recording;
  std::string fst;       // path of the waveform file; empty: no waveform
  std::size_t last = 0;  // number of last calls that the waveform covers
};

/// Writes a waveform of a verilated unit's clock cycles, 4 ns each with a rising edge in the
/// middle. Before the edge the waveform shows inputs and outputs as they are sampled, after the
/// edge the new values of the flip-flops. Nothing is written before open().
class Waveform {
 public:
  ~Waveform() { trace_.close(); }

  /// Opens the waveform file. Throws std::runtime_error if it cannot be written.
  template <class Unit>
  void open(Unit& unit, const std::string& path) {
    unit.context().traceEverOn(true);
    unit.pins().trace(&trace_, 99);
    trace_.open(path.c_str());
    if (!trace_.isOpen()) throw std::runtime_error("cannot write " + path);
  }
  template <class Verilated>
  void settled(Verilated&) {
    if (trace_.isOpen()) trace_.dump(4000 * cycles_);
  }
  template <class Verilated>
  void edge(Verilated&) {
    if (trace_.isOpen()) trace_.dump(4000 * cycles_ + 2000);
    ++cycles_;
  }

 private:
  VerilatedFstC trace_;
  std::uint64_t cycles_ = 0;
};

/// Makes `count` calls by their numbers, opens the waveform before the last ones, then calls
/// `finish`. Returns 0 if there was no difference (`comparisons`: number of comparisons made), or 1
/// after a Mismatch, whose text is printed.
template <class Mismatch>
int replay_calls(const ReplayOptions& options, std::size_t count,
                 const std::function<void(std::size_t)>& call, const std::function<void()>& finish,
                 const std::function<void()>& open_waveform,
                 const std::function<std::uint64_t()>& comparisons) {
  std::size_t done = 0;
  try {
    for (; done < count; ++done) {
      if (!options.fst.empty() && done + options.last == std::max(options.last, count)) {
        open_waveform();
      }
      call(done);
    }
    finish();
  } catch (const Mismatch& mismatch) {
    std::printf("after %zu of %zu calls: %s\n", done, count, mismatch.what());
    if (!options.fst.empty()) {
      std::printf("waveform of the last %zu calls: %s\n", options.last, options.fst.c_str());
    }
    return 1;
  }
  std::printf("%zu calls replayed, %llu comparisons, no difference\n", count,
              static_cast<unsigned long long>(comparisons()));
  return 0;
}

/// Parses PROGRAM RECORDING [--fst FILE] [--last CALLS] and replays. Returns 2 for unusable
/// arguments or an unusable recording.
inline int replay_main(int argc, char** argv, const char* program, std::size_t last,
                       int (*replay)(const ReplayOptions&)) {
  ReplayOptions options;
  options.last = last;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--fst" && i + 1 < argc) {
      options.fst = argv[++i];
    } else if (word == "--last" && i + 1 < argc) {
      options.last = std::strtoull(argv[++i], nullptr, 10);
    } else if (options.recording.empty() && word[0] != '-') {
      options.recording = word;
    } else {
      options.recording.clear();
      break;
    }
  }
  if (options.recording.empty() || options.last == 0) {
    std::fprintf(stderr, "usage: %s RECORDING [--fst FILE] [--last CALLS]\n", program);
    return 2;
  }
  try {
    return replay(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 2;
  }
}

}  // namespace dcc
