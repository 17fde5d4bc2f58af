#include "diagnose/diagnosis.h"

#include <algorithm>
#include <stdexcept>

namespace dcc::vp {
namespace {

std::vector<DiagnosisEntry>& entries() {
  static std::vector<DiagnosisEntry> list;
  return list;
}

template <class Look>
std::vector<Finding> findings(Look look) {
  std::vector<Finding> all;
  for (const DiagnosisEntry& entry : all_diagnoses()) {
    Diagnosis::Found found = look(*entry.diagnosis);
    if (found) all.push_back({entry.id, std::move(found->text), std::move(found->figures)});
  }
  return all;
}

}  // namespace

const Topology& Evidence::topology() const {
  if (!topology_) topology_ = Topology::of(config().topology);
  return *topology_;
}

const std::vector<DiagnosisEntry>& all_diagnoses() { return entries(); }

void add_diagnosis(DiagnosisEntry entry) {
  std::vector<DiagnosisEntry>& list = entries();
  const auto place =
      std::lower_bound(list.begin(), list.end(), entry.id,
                       [](const DiagnosisEntry& e, const std::string& id) { return e.id < id; });
  if (place != list.end() && place->id == entry.id) {
    throw std::logic_error("two diagnoses have the id " + entry.id);
  }
  list.insert(place, std::move(entry));
}

std::vector<Finding> foresee(const LoadedConfig& loaded) {
  const Evidence evidence(loaded);
  return findings([&](const Diagnosis& diagnosis) { return diagnosis.before(evidence); });
}

std::vector<Finding> diagnose(const LoadedConfig& loaded, const RunResults& results) {
  const Evidence evidence(loaded, results);
  return findings([&](const Diagnosis& diagnosis) {
    const bool listed = results.digest == nullptr;
    return listed || !diagnosis.needs_flows() ? diagnosis.after(evidence, results)
                                              : diagnosis.before(evidence);
  });
}

}  // namespace dcc::vp
