#include "config/effective_yaml.h"

#include "config/schema.h"

namespace dcc::vp {
namespace {

class Writer final : public ParameterVisitor {
 public:
  std::string text;

 protected:
  void leaf(const Leaf& leaf) override {
    text += indent() + leaf.key + ": " + leaf.show() + "\n";
    dash_ = false;
  }
  bool enter(const std::string& key, const Doc&) override {
    text += indent() + key + ":\n";
    dash_ = false;
    ++depth_;
    return true;
  }
  void enter_item(const std::string& key, std::size_t) override {
    if (in_map_) {
      text += indent() + "\"" + key + "\":\n";
    } else {
      dash_ = true;
    }
    ++depth_;
  }
  void leave() override { --depth_; }
  ListPlan begin_list(const std::string& key, const Doc&, std::size_t size) override {
    begin(key, size == 0 ? "[]" : "", false);
    return {size, false};
  }
  std::vector<unsigned> begin_map(const std::string& key, const Doc&,
                                  const std::vector<unsigned>& keys, unsigned) override {
    begin(key, keys.empty() ? "{}" : "", true);
    return keys;
  }
  void end_list() override { --depth_; }
  bool begin_condition(bool applies, const char*) override { return applies; }
  void end_condition() override {}

 private:
  void begin(const std::string& key, const std::string& empty, bool map) {
    text += indent() + key + ":" + (empty.empty() ? "" : " " + empty) + "\n";
    dash_ = false;
    in_map_ = map;
    ++depth_;
  }
  std::string indent() const {
    std::string out(static_cast<std::size_t>(depth_) * 2, ' ');
    if (dash_) out[out.size() - 2] = '-';
    return out;
  }

  int depth_ = 0;
  bool dash_ = false;    // true if the next line begins a list element
  bool in_map_ = false;  // true if the elements have keys
};

}  // namespace

std::string effective_yaml(const PlatformConfig& config) {
  PlatformConfig copy = config;
  Writer writer;
  describe(writer, copy);
  return writer.text;
}

}  // namespace dcc::vp
