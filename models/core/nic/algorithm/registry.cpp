#include "nic/algorithm/registry.h"

#include <algorithm>
#include <stdexcept>

#include "describe/visitor.h"

namespace dcc {

namespace {
constexpr const char* kNone = "none";

std::vector<AlgorithmEntry>& registered() {
  static std::vector<AlgorithmEntry> entries;
  return entries;
}

const AlgorithmEntry& entry_of(const std::string& name) {
  for (const AlgorithmEntry& entry : algorithms()) {
    if (entry.name == name) return entry;
  }
  throw std::logic_error("no algorithm " + name);
}

std::vector<std::string> choices() {
  std::vector<std::string> names;
  for (const AlgorithmEntry& entry : algorithms()) names.push_back(entry.name);
  names.emplace_back(kNone);
  return names;
}

const char* meaning() {
  static const std::string text = [] {
    std::string all;
    for (const AlgorithmEntry& entry : algorithms()) {
      all += entry.name + ": " + entry.description + "; ";
    }
    return all + kNone + ": flows send at line rate";
  }();
  return text.c_str();
}

/// A NIC that is not there: enough for an algorithm to be made and asked.
class NoHost final : public AlgorithmHost {
 public:
  PicoSeconds now() const override { return PicoSeconds(0); }
  void set_rate(FlowNumber, Rate) override {}
  void set_window(FlowNumber, Bytes) override {}
  void start_timer(FlowNumber, int, PicoSeconds) override {}
  void stop_timer(FlowNumber, int) override {}
  Rate line_rate() const override { return Rate::from(BitRate(100'000'000'000)); }
};
}  // namespace

const std::vector<AlgorithmEntry>& algorithms() { return registered(); }

// Files register in whatever order they were linked; the names' order is the same in every build.
void register_algorithm(AlgorithmEntry entry) {
  std::vector<AlgorithmEntry>& all = registered();
  const auto place =
      std::lower_bound(all.begin(), all.end(), entry.name,
                       [](const AlgorithmEntry& e, const std::string& n) { return e.name < n; });
  if (entry.name == kNone || (place != all.end() && place->name == entry.name)) {
    throw std::logic_error("two algorithms named " + entry.name);
  }
  all.insert(place, std::move(entry));
}

AlgorithmChoice::AlgorithmChoice() : name_("dcc") {
  for (const AlgorithmEntry& entry : algorithms()) {
    parameters_.emplace(entry.name, entry.defaults());
  }
}

AlgorithmChoice::AlgorithmChoice(const AlgorithmChoice& other) : name_(other.name_) {
  for (const auto& [name, parameters] : other.parameters_) {
    parameters_.emplace(name, entry_of(name).copy(*parameters));
  }
}

AlgorithmChoice& AlgorithmChoice::operator=(const AlgorithmChoice& other) {
  AlgorithmChoice copy(other);
  std::swap(name_, copy.name_);
  std::swap(parameters_, copy.parameters_);
  return *this;
}

void AlgorithmChoice::describe(ParameterVisitor& v, CnpParameters& cnp) {
  v.one_of("algorithm", name_, choices(), {meaning(), ""});
  for (const auto& entry : parameters_) {
    const std::string condition = "algorithm: " + entry.first;
    v.when(entry.first == name_, condition.c_str(), [&] { entry.second->describe(v); });
  }
  const AlgorithmParameters* const mine = chosen();
  if (v.reading() && mine != nullptr) mine->preset(cnp);
}

AlgorithmNeeds AlgorithmChoice::needs(std::uint32_t mtu) const {
  Scheduler scheduler;
  NoHost host;
  AlgorithmContext context{scheduler, host, mtu, kMicroSecond, {}, 0, {}, {}};
  context.controller.slots = 1;
  const std::unique_ptr<Algorithm> algorithm = make(context);
  return algorithm == nullptr ? AlgorithmNeeds{} : algorithm->needs();
}

std::unique_ptr<Algorithm> AlgorithmChoice::make(const AlgorithmContext& context) const {
  const AlgorithmParameters* const parameters = chosen();
  return parameters == nullptr ? nullptr : entry_of(name_).make(*parameters, context);
}

}  // namespace dcc
