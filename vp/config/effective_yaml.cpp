#include "config/effective_yaml.h"

#include <map>
#include <vector>

#include "config/schema.h"

namespace dcc::vp {
namespace {

class Writer final : public ParameterVisitor {
 public:
  /// `followed`: rules by which values follow the network, by path; the rules become comments.
  explicit Writer(const std::map<std::string, std::string>& followed) : followed_(followed) {}
  std::string text;

 protected:
  void leaf(const Leaf& leaf) override {
    text += indent() + leaf.key + ": " + leaf.show();
    const auto rule = followed_.find(path_of(leaf.key));
    if (rule != followed_.end()) text += "  # follows: " + rule->second;
    text += "\n";
    dash_ = false;
  }
  bool enter(const std::string& key, const Doc&) override {
    text += indent() + key + ":\n";
    sections_.push_back(path_of(key));
    dash_ = false;
    ++depth_;
    return true;
  }
  void enter_item(const std::string& key, std::size_t) override {
    sections_.push_back(lists_.back() + "." + key);
    if (in_map_) {
      text += indent() + "\"" + key + "\":\n";
    } else {
      dash_ = true;
    }
    ++depth_;
  }
  void leave() override {
    sections_.pop_back();
    --depth_;
  }
  ListPlan begin_list(const std::string& key, const Doc&, std::size_t size) override {
    begin(key, size == 0 ? "[]" : "", false);
    return {size, false};
  }
  std::vector<unsigned> begin_map(const std::string& key, const Doc&,
                                  const std::vector<unsigned>& keys, unsigned) override {
    begin(key, keys.empty() ? "{}" : "", true);
    return keys;
  }
  void end_list() override {
    lists_.pop_back();
    --depth_;
  }
  bool begin_condition(bool applies, const char*) override { return applies; }
  void end_condition() override {}

 private:
  void begin(const std::string& key, const std::string& empty, bool map) {
    lists_.push_back(path_of(key));
    text += indent() + key + ":" + (empty.empty() ? "" : " " + empty) + "\n";
    dash_ = false;
    in_map_ = map;
    ++depth_;
  }
  std::string path_of(const std::string& key) const {
    return sections_.empty() ? key : sections_.back() + "." + key;
  }
  std::string indent() const {
    std::string out(static_cast<std::size_t>(depth_) * 2, ' ');
    if (dash_) out[out.size() - 2] = '-';
    return out;
  }

  const std::map<std::string, std::string>& followed_;
  std::vector<std::string> sections_;  // paths of the sections and elements that are open
  std::vector<std::string> lists_;     // paths of the lists that are open
  int depth_ = 0;
  bool dash_ = false;    // true if the next line begins a list element with a dash
  bool in_map_ = false;  // true if the elements of the open list have keys
};

}  // namespace

std::string effective_yaml(const PlatformConfig& config, RuleComments comments) {
  PlatformConfig copy = config;
  if (comments == RuleComments::kNone) copy.followed.clear();
  Writer writer(copy.followed);
  describe(writer, copy);
  return writer.text;
}

}  // namespace dcc::vp
