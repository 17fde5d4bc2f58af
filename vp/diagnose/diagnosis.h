// Diagnoses: each diagnosis looks for one way in which a run misleads the user or does not answer
// the user's question. Each diagnosis has a file of its own, which registers the diagnosis;
// docs/diagnoses.md lists all of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/yaml_reader.h"
#include "diagnose/finding.h"
#include "fabric/topology.h"
#include "measure/results.h"

namespace dcc::vp {

/// The data that a diagnosis examines. The configuration and results outlive this object.
class Evidence {
 public:
  /// Evidence for `dccvp check`, before the run.
  explicit Evidence(const LoadedConfig& loaded) : loaded_(loaded) {}
  /// Evidence for the diagnoses at the end of the run.
  Evidence(const LoadedConfig& loaded, const RunResults& results)
      : loaded_(loaded), results_(&results) {}

  const LoadedConfig& loaded() const { return loaded_; }
  const PlatformConfig& config() const { return loaded_.config; }
  /// The results of the run; null before the run.
  const RunResults* results() const { return results_; }
  /// True if the user wrote this parameter or section, in a file or with `-c`.
  bool wrote(const std::string& path) const { return loaded_.places.count(path) != 0; }
  /// The network of the configuration; built at the first call.
  const Topology& topology() const;

 private:
  const LoadedConfig& loaded_;
  const RunResults* results_ = nullptr;
  mutable std::optional<Topology> topology_;
};

class Diagnosis {
 public:
  struct Observation {
    std::string text;
    std::vector<FindingFigure> figures;
  };
  using Found = std::optional<Observation>;

  virtual ~Diagnosis() = default;
  /// Looks for a finding before the run, for `dccvp check`.
  virtual Found before(const Evidence&) const { return std::nullopt; }
  /// Looks for a finding at the end of the run. `results`: those of `evidence`.
  virtual Found after(const Evidence& evidence, const RunResults& /*results*/) const {
    return before(evidence);
  }
  /// True if after() examines single flows, so that the diagnosis needs a list of flows.
  virtual bool needs_flows() const { return false; }
};

/// A registered diagnosis with its description.
struct DiagnosisEntry {
  std::string id;         // name of the diagnosis; stable, because scripts refer to it
  std::string meaning;    // meaning of the diagnosis in one sentence without a full stop
  std::string remedy;     // action that the user can take, in one sentence without a full stop
  bool foreseen = false;  // true if `dccvp check` may report the diagnosis before the run
  std::unique_ptr<Diagnosis> diagnosis;
};

/// All registered diagnoses, sorted by id.
const std::vector<DiagnosisEntry>& all_diagnoses();
/// Registers a diagnosis. Throws std::logic_error for an id that is already registered.
void add_diagnosis(DiagnosisEntry entry);

/// Registers a diagnosis by a namespace-scope constant in the diagnosis's own .cpp:
///     const RegisteredDiagnosis<IdleLink> kIdleLink{"idle_link", "meaning", "remedy"};
template <class Mine>
struct RegisteredDiagnosis {
  RegisteredDiagnosis(const char* id, const char* meaning, const char* remedy) {
    // True if the diagnosis class `Mine` overrides before(), because the member pointer's class is
    // then Mine.
    constexpr bool foreseen =
        std::is_same_v<decltype(&Mine::before), Diagnosis::Found (Mine::*)(const Evidence&) const>;
    add_diagnosis({id, meaning, remedy, foreseen, std::make_unique<Mine>()});
  }
};

/// Returns the findings of all diagnoses by diagnosis id, before the run or at its end.
std::vector<Finding> foresee(const LoadedConfig& loaded);
std::vector<Finding> diagnose(const LoadedConfig& loaded, const RunResults& results);

}  // namespace dcc::vp
