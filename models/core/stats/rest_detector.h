// Whether a process that is watched in windows of one length is at rest, by the statistics of batch
// means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dcc {

/// Several quantities, each with one value a window. They are at rest when what they did in the
/// first half of all windows and in the second is the same within bounds, shown and not merely not
/// refuted (an equivalence test: the bound must hold with the uncertainty of both means added, as
/// Schuirmann has it for two one-sided tests). Means of batches with a memory of their
/// predecessors are less certain than they look; they are taken for a first-order process.
///
/// Windows become longer as long as that cannot be decided, so an oscillation is at rest once it is
/// fast against them, and a trend never is: of it the older half is forgotten.
class RestDetector {
 public:
  static constexpr std::size_t kBatches = 32;  // an even multiple of two

  /// What is asked of one quantity.
  struct Quantity {
    /// Greatest difference of the two halves' means, as a share of the mean of both …
    double bound = 0;
    /// … or as such, if that is more: what does not matter, whatever the share.
    double floor = 0;
    /// Quantities of one group, above zero, are alike by construction, so that their means in the
    /// long run are the same unless something holds them apart. If what they did differs no more
    /// than each alone is uncertain, the mean of all is what each will do.
    ///
    /// What is in a group is taken for what it will go on doing, so more is asked: that the mean of
    /// a member, or that of all, is known to within `bound`; that either half's is no further from
    /// it, shown with the uncertainty of their difference; and that no line through the batches
    /// rises or falls so that it can be told from chance, be it ever so slow.
    unsigned group = 0;
  };

  /// Forgets everything; from now on these are watched.
  void restart(std::vector<Quantity> quantities);
  /// One window: a value for each quantity, its sum over the window or its mean.
  void add(const std::vector<double>& values);

  /// As many whole batches as a half of them are just there.
  bool is_half_full() const { return batches_.size() == kBatches / 2 && windows_in_open_ == 0; }

  enum class Verdict : std::uint8_t {
    kOpen,   // too few windows
    kRest,   //
    kTrend,  // the halves differ, as it seems: the older one is to be forgotten
    kNoise,  // they do not, but that may be chance
  };
  /// Of what is remembered, when a batch is full that makes them kBatches; else kOpen.
  Verdict verdict() const;
  /// After such a verdict: goes on with windows twice as long, after a trend without the older
  /// half.
  void go_on(Verdict verdict);

  /// At rest: members of this group do the same.
  bool is_pooled(unsigned group) const;

 private:
  struct Mean {
    double mean = 0;
    double first = 0;        // of the halves
    double second = 0;       // …
    double error = 0;        // standard error of the mean
    double risen = 0;        // from half to half, by the line of least squares …
    double risen_error = 0;  // … and its standard error, by what lies beside the line
  };
  template <class Value>
  static Mean mean_of(std::size_t batches, Value value);
  static bool is_moving(const Mean& mean, double most);
  /// Without a group …
  static Verdict judge_witness(const Mean& mean, const Quantity& asked);
  /// … and in one.
  static Verdict judge_member(const Mean& mean, const Quantity& asked);
  struct Group {
    Verdict verdict = Verdict::kOpen;
    bool pooled = false;
  };
  Group judge_group(unsigned group) const;
  /// A window's, as bounds are.
  double value(std::size_t batch, std::size_t quantity) const {
    return batches_[batch][quantity] / static_cast<double>(windows_in_batch_);
  }
  std::vector<unsigned> groups() const;

  std::vector<Quantity> quantities_;
  std::vector<std::vector<double>> batches_;  // by batch and quantity, sums over windows
  std::vector<double> open_;                  // the batch that is being filled
  std::uint64_t windows_in_batch_ = 1;
  std::uint64_t windows_in_open_ = 0;
};

}  // namespace dcc
