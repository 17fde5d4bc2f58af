// A parameter visitor without a file format. It reads parameters by dotted path from a map of texts
// and records the visited rows.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "describe/visitor.h"

namespace dcc::test {

class TextReader final : public ParameterVisitor {
 public:
  struct Row {
    std::string path, type, unit, range, shown;
    bool runtime = false;
  };
  explicit TextReader(std::map<std::string, std::string> texts = {}) : texts_(std::move(texts)) {}

  std::map<std::string, Row> rows;
  bool reading() const override { return refused_ == 0; }

 protected:
  void leaf(const Leaf& leaf) override {
    if (refused_ > 0) return;
    const std::string path = prefix() + leaf.key;
    const auto text = texts_.find(path);
    if (text != texts_.end()) {
      leaf.read(node_of(text->second, path));
    }
    rows[path] = {path, leaf.type, leaf.unit, leaf.range, leaf.show(), leaf.doc.runtime};
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
  bool begin_condition(bool applies, const char*) override {
    if (!applies) ++refused_;
    conditions_.push_back(applies);
    return true;
  }
  void end_condition() override {
    if (!conditions_.back()) --refused_;
    conditions_.pop_back();
  }

 private:
  /// Reads "[a, b]" as a list, and any other text as a scalar.
  static ValueNode node_of(const std::string& text, const std::string& path) {
    ValueNode node;
    node.place = Place{path};
    if (text.front() != '[') {
      node.kind = ValueNode::Kind::kScalar;
      node.scalar = text;
      return node;
    }
    node.kind = ValueNode::Kind::kList;
    std::istringstream items(text.substr(1, text.size() - 2));
    for (std::string item; std::getline(items >> std::ws, item, ',');) {
      node.items.push_back(node_of(item, path));
    }
    return node;
  }
  std::string prefix() const {
    std::string out;
    for (const std::string& section : sections_) out += section + ".";
    return out;
  }
  std::map<std::string, std::string> texts_;
  std::vector<std::string> sections_;
  std::vector<bool> conditions_;
  int refused_ = 0;
};

}  // namespace dcc::test
