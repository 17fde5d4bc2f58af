#include "config/parameter_list.h"

#include <map>

#include "config/schema.h"

namespace dcc::vp {
namespace {

/// Collects one row for each YAML parameter of a configuration. With `everything`, also for
/// parameters that do not apply to the configuration, and for a sample element of each empty list.
class Lister final : public ParameterVisitor {
 public:
  explicit Lister(bool everything) : everything_(everything) {}
  std::vector<ParameterRow> rows;
  std::vector<std::string> general;  // path of each row with N in place of every list index

 protected:
  void leaf(const Leaf& leaf) override {
    ParameterRow row;
    Place place = place_of(leaf.key);
    row.path = std::move(place.path);
    general.push_back(std::move(place.general));
    row.type = leaf.type;
    row.unit = leaf.unit;
    row.range = leaf.range;
    row.value = leaf.show();
    row.meaning = leaf.doc.meaning;
    row.source = leaf.doc.source;
    row.runtime = leaf.doc.runtime && lists_without_keys_ == 0;
    for (const std::string& condition : conditions_) {
      if (!row.condition.empty()) row.condition += " and ";
      row.condition += condition;
    }
    rows.push_back(std::move(row));
  }
  void follow(bool, const char* rule, const Follow&) override { rows.back().follows = rule; }
  bool enter(const std::string& key, const Doc&) override {
    places_.push_back(place_of(key));
    return true;
  }
  void enter_item(const std::string& key, std::size_t) override {
    places_.push_back(
        {lists_.back().path + "." + (sample_ ? "N" : key), lists_.back().general + ".N", false});
  }
  void leave() override { places_.pop_back(); }
  ListPlan begin_list(const std::string& key, const Doc&, std::size_t size) override {
    lists_.push_back(place_of(key));
    lists_without_keys_ += 1;
    sample_ = everything_ && size == 0;
    return sample_ ? ListPlan{1, true} : ListPlan{size, false};
  }
  std::vector<unsigned> begin_map(const std::string& key, const Doc&,
                                  const std::vector<unsigned>& keys, unsigned) override {
    lists_.push_back(place_of(key));
    lists_.back().is_map = true;
    sample_ = everything_ && keys.empty();
    return sample_ ? std::vector<unsigned>{0} : keys;
  }
  void end_list() override {
    if (!lists_.back().is_map) lists_without_keys_ -= 1;
    lists_.pop_back();
    sample_ = false;
  }
  bool begin_condition(bool applies, const char* condition) override {
    if (!applies && !everything_) return false;
    conditions_.emplace_back(condition);
    return true;
  }
  void end_condition() override { conditions_.pop_back(); }

 private:
  struct Place {
    std::string path;
    std::string general;
    bool is_map = false;  // true for a list whose elements have keys
  };
  Place place_of(const std::string& key) const {
    if (places_.empty()) return {key, key, false};
    return {places_.back().path + "." + key, places_.back().general + "." + key, false};
  }
  bool everything_;
  bool sample_ = false;
  // number of lists around the parameter; `changes` name no element of a list
  int lists_without_keys_ = 0;
  std::vector<Place> places_;
  std::vector<Place> lists_;
  std::vector<std::string> conditions_;
};

std::string origin_of(const ParameterRow& row, const LoadedConfig& loaded) {
  const auto place = loaded.places.find(row.path);
  if (place != loaded.places.end()) return place->second.text();
  if (loaded.config.followed.count(row.path) != 0) return "rule";
  return row.value == row.fallback ? "default" : "preset";
}

}  // namespace

const std::vector<ParameterRow>& list_parameters() {
  static std::vector<ParameterRow> rows;
  // number of algorithms at the last call; a plug-in may have added some since then
  static std::size_t of_algorithms = 0;
  if (of_algorithms == Algorithms::all().size()) return rows;
  of_algorithms = Algorithms::all().size();
  PlatformConfig defaults;
  Lister lister(true);
  describe(lister, defaults);
  for (ParameterRow& row : lister.rows) {
    row.fallback = std::move(row.value);
    row.value.clear();
  }
  rows = std::move(lister.rows);
  return rows;
}

std::vector<ParameterRow> list_parameters(const LoadedConfig& loaded) {
  // Default values by key and condition: several algorithms have a key of the same name, which the
  // condition distinguishes.
  std::map<std::pair<std::string, std::string>, std::string> defaults;
  for (const ParameterRow& row : list_parameters()) {
    defaults[{row.path, row.condition}] = row.fallback;
  }
  PlatformConfig config = loaded.config;
  Lister lister(false);
  describe(lister, config);
  for (std::size_t i = 0; i < lister.rows.size(); ++i) {
    ParameterRow& row = lister.rows[i];
    row.fallback = defaults[{lister.general[i], row.condition}];
    row.origin = origin_of(row, loaded);
    const auto rule = config.followed.find(row.path);
    row.follows = row.origin == "rule" ? rule->second : "";
  }
  return std::move(lister.rows);
}

}  // namespace dcc::vp
