// Decides by batch means whether a process that is sampled in windows of equal length is steady.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dcc {

/// A detector that takes one value per window of several quantities. The observed process is steady
/// if the means of the first and of the second half of all windows are equal within bounds.
/// Equality must be shown, not merely not refuted: the bound must hold with the uncertainty of both
/// means added (Schuirmann's two one-sided tests). Batch means that depend on their predecessors
/// are treated as a first-order process, which enlarges their uncertainty.
///
/// If the test cannot decide, windows become longer. So an oscillation counts as steady once its
/// period is short against the windows. A process with a trend never counts as steady; the older
/// half of its data is dropped.
class RestDetector {
 public:
  static constexpr std::size_t kBatches = 32;  // number of batches, even also after halving

  /// A quantity to be tested, with its bounds.
  struct Quantity {
    /// Maximum difference of the means of the two halves, as a share of the overall mean.
    double bound = 0;
    /// Maximum difference of the means in the quantity's unit; the larger of `bound` and `floor`
    /// counts.
    double floor = 0;
    /// Number of the quantity's group; 0: no group. Quantities of a group are alike by
    /// construction, so their long-run means are equal unless something separates them. If the
    /// members differ by no more than their uncertainty, the mean of the group is the prediction
    /// for each member.
    ///
    /// The results of a group are extrapolated, so the test is stricter: the mean of a member, or
    /// of the group, must be known to within `bound`; the mean of either half must be within
    /// `bound` of this mean, with the uncertainty of the difference added; and a line fitted
    /// through the batches must have no significant slope.
    unsigned group = 0;
  };

  /// Clears all data and starts anew with these quantities.
  void restart(std::vector<Quantity> quantities);
  /// Adds one window: for each quantity its sum over the window, or its mean.
  void add(const std::vector<double>& values);

  /// True if exactly kBatches / 2 batches are complete.
  bool is_half_full() const { return batches_.size() == kBatches / 2 && windows_in_open_ == 0; }

  enum class Verdict : std::uint8_t {
    kOpen,   // there are too few windows for a decision
    kRest,   // the process is steady
    kTrend,  // the halves differ, so the older half must be dropped
    kNoise,  // no difference found, but the data are too noisy to show equality
  };
  /// The result when kBatches batches are complete; kOpen before that.
  Verdict verdict() const;
  /// Continues with windows twice as long after kTrend or kNoise; drops the older half after
  /// kTrend.
  void go_on(Verdict verdict);

  /// True if the members of the group are equal within their uncertainty. Valid after kRest.
  bool is_pooled(unsigned group) const;

 private:
  struct Mean {
    double mean = 0;
    double first = 0;        // mean of the first half of the batches
    double second = 0;       // mean of the second half of the batches
    double error = 0;        // standard error of the overall mean
    double risen = 0;        // rise of the least-squares line from the first half to the second
    double risen_error = 0;  // standard error of `risen`
  };
  template <class Value>
  static Mean mean_of(std::size_t batches, Value value);
  static bool is_moving(const Mean& mean, double most);
  /// Returns the verdict on a quantity without a group.
  static Verdict judge_witness(const Mean& mean, const Quantity& asked);
  /// Returns the verdict on a quantity that is a member of a group.
  static Verdict judge_member(const Mean& mean, const Quantity& asked);
  struct Group {
    Verdict verdict = Verdict::kOpen;
    bool pooled = false;
  };
  Group judge_group(unsigned group) const;
  /// Mean of a quantity over one window of the batch, which is the unit of the bounds.
  double value(std::size_t batch, std::size_t quantity) const {
    return batches_[batch][quantity] / static_cast<double>(windows_in_batch_);
  }
  std::vector<unsigned> groups() const;

  std::vector<Quantity> quantities_;
  // sums of the values over windows, by batch and quantity
  std::vector<std::vector<double>> batches_;
  std::vector<double> open_;  // sums of the values in the incomplete batch, by quantity
  std::uint64_t windows_in_batch_ = 1;
  std::uint64_t windows_in_open_ = 0;
};

}  // namespace dcc
