// The range of every parameter can be parsed, and the parameter's default value lies in the range.
// The test visits every algorithm, transport, discipline and load balancer.
#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <vector>

#include "config/platform_config.h"
#include "config/schema.h"

namespace dcc::vp {
namespace {

/// Reads the default value of each parameter back, including parameters that do not apply.
class DefaultsReader final : public ParameterVisitor {
 public:
  std::size_t read = 0;

 protected:
  void leaf(const Leaf& leaf) override {
    const std::string text = leaf.show();
    if (leaf.range.empty() || text.empty() || text.front() == '[' || text == "\"\"") return;
    ValueNode node;
    node.kind = ValueNode::Kind::kScalar;
    node.scalar = text;
    ++read;
    try {
      leaf.read(node);
    } catch (const std::exception& error) {
      std::string path;
      for (const std::string& section : sections_) path += section + ".";
      ADD_FAILURE() << path << leaf.key << ": " << text << ": " << error.what();
    }
  }
  bool enter(const std::string& key, const Doc&) override {
    sections_.push_back(key);
    return true;
  }
  void enter_item(const std::string& key, std::size_t) override { sections_.push_back(key); }
  void leave() override { sections_.pop_back(); }
  ListPlan begin_list(const std::string& key, const Doc&, std::size_t size) override {
    sections_.push_back(key);
    return {size, false};
  }
  std::vector<unsigned> begin_map(const std::string& key, const Doc&,
                                  const std::vector<unsigned>& keys, unsigned) override {
    sections_.push_back(key);
    return keys;
  }
  void end_list() override { sections_.pop_back(); }
  bool begin_condition(bool, const char* condition) override {
    sections_.emplace_back(condition);
    return true;
  }
  void end_condition() override { sections_.pop_back(); }

 private:
  std::vector<std::string> sections_;
};

TEST(ParameterRanges, DefaultsOfEveryChoiceCanBeReadBack) {
  PlatformConfig defaults;
  DefaultsReader reader;
  describe(reader, defaults);
  EXPECT_GT(reader.read, 500U);
}

}  // namespace
}  // namespace dcc::vp
