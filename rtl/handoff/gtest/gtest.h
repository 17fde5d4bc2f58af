// The part of googletest's interface that the package's block tests use (units/). The receiver of
// the hand-off package compiles these tests with the simulators alone, without installing
// googletest. A failed ASSERT ends its test by an exception; after a failed EXPECT the test goes
// on.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace testing {

inline unsigned& failures() {
  static unsigned number = 0;
  return number;
}

class Test {
 public:
  static bool HasFailure() { return failures() != 0; }
  virtual ~Test() = default;
  virtual void SetUp() {}
  virtual void TestBody() = 0;
};

template <class Parameter>
class TestWithParam : public Test {
 public:
  using ParamType = Parameter;
  static const Parameter& GetParam() { return *parameter(); }
  static const Parameter*& parameter() {
    static const Parameter* now = nullptr;
    return now;
  }
};

struct Fatal {};
struct Run {
  std::string name;
  std::function<void()> body;
};

inline std::vector<std::function<std::vector<Run>()>>& suites() {
  static std::vector<std::function<std::vector<Run>()>> all;
  return all;
}

class Message {
 public:
  template <class T>
  Message& operator<<(const T& value) {
    text_ << value;
    return *this;
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

class Failure {
 public:
  Failure(const char* file, int line, const char* what, bool fatal)
      : file_(file), line_(line), what_(what), fatal_(fatal) {}
  void operator=(const Message& message) const {
    if (++failures() <= 5)
      std::printf("%s:%d: not so: %s %s\n", file_, line_, what_, message.text().c_str());
    if (fatal_) throw Fatal{};
  }

 private:
  const char* file_;
  int line_;
  const char* what_;
  bool fatal_;
};

template <class T>
void run_one() {
  const std::unique_ptr<Test> test = std::make_unique<T>();
  test->SetUp();
  test->TestBody();
}
template <class T>
bool add(const char* name) {
  suites().push_back([name] { return std::vector<Run>{{name, run_one<T>}}; });
  return true;
}

/// Test classes of the types P, each with the template T.
template <class... P>
struct Types {};
template <template <class> class T, class... P>
bool add_typed(const char* name, Types<P...>) {
  (add<T<P>>(name), ...);
  return true;
}

/// Tests of a fixture with parameters, and its parameters.
template <class Fixture>
struct Parametrised {
  std::vector<Run> tests;
  std::vector<typename Fixture::ParamType> parameters;
  static Parametrised& get() {
    static Parametrised one;
    return one;
  }
};
template <class Fixture, class T>
bool add_with_parameter(const char* name) {
  Parametrised<Fixture>::get().tests.push_back({name, run_one<T>});
  return true;
}
template <class Fixture, class Name>
bool instantiate(const char* suite, std::vector<typename Fixture::ParamType> values, Name) {
  Parametrised<Fixture>::get().parameters = std::move(values);
  suites().push_back([suite] {
    std::vector<Run> runs;
    auto& all = Parametrised<Fixture>::get();
    for (const auto& test : all.tests)
      for (const auto& value : all.parameters)
        runs.push_back({std::string(suite) + "." + test.name, [&test, &value] {
                          Fixture::parameter() = &value;
                          test.body();
                        }});
    return runs;
  });
  return true;
}

template <class First, class... Rest>
std::vector<First> Values(First first, Rest... rest) {
  return {first, rest...};
}
template <class Container>
auto ValuesIn(const Container& all) {
  return std::vector<typename Container::value_type>(all.begin(), all.end());
}

}  // namespace testing

#define DCC_TEST_CLASS(suite, name, base)     \
  class suite##_##name##_Test : public base { \
   public:                                    \
    void TestBody() override;                 \
  };
#define TEST(suite, name)                                    \
  DCC_TEST_CLASS(suite, name, testing::Test)                 \
  [[maybe_unused]] const bool suite##_##name##_added =       \
      testing::add<suite##_##name##_Test>(#suite "." #name); \
  void suite##_##name##_Test::TestBody()
#define TEST_F(suite, name)                                  \
  DCC_TEST_CLASS(suite, name, suite)                         \
  [[maybe_unused]] const bool suite##_##name##_added =       \
      testing::add<suite##_##name##_Test>(#suite "." #name); \
  void suite##_##name##_Test::TestBody()
#define TYPED_TEST_SUITE(suite, types) using suite##_types = types
#define TYPED_TEST(suite, name)                                                     \
  template <class Parameter>                                                        \
  class suite##_##name##_Test : public suite<Parameter> {                           \
   public:                                                                          \
    using TypeParam = Parameter;                                                    \
    void TestBody() override;                                                       \
  };                                                                                \
  [[maybe_unused]] const bool suite##_##name##_added =                              \
      testing::add_typed<suite##_##name##_Test>(#suite "." #name, suite##_types{}); \
  template <class Parameter>                                                        \
  void suite##_##name##_Test<Parameter>::TestBody()
#define TEST_P(suite, name)                                             \
  DCC_TEST_CLASS(suite, name, suite)                                    \
  [[maybe_unused]] const bool suite##_##name##_added =                  \
      testing::add_with_parameter<suite, suite##_##name##_Test>(#name); \
  void suite##_##name##_Test::TestBody()
#define INSTANTIATE_TEST_SUITE_P(prefix, suite, ...)     \
  [[maybe_unused]] const bool prefix##_##suite##_added = \
      testing::instantiate<suite>(#suite, __VA_ARGS__)

#define DCC_HOLDS(holds, text, fatal) \
  switch (0)                          \
  case 0:                             \
  default:                            \
    if (holds)                        \
      ;                               \
    else                              \
      testing::Failure(__FILE__, __LINE__, text, fatal) = testing::Message()
#define SCOPED_TRACE(text) static_cast<void>(text)
#define ASSERT_TRUE(a) DCC_HOLDS((a), #a, true)
#define ASSERT_FALSE(a) DCC_HOLDS(!(a), "not " #a, true)
#define ASSERT_EQ(a, b) DCC_HOLDS((a) == (b), #a " == " #b, true)
#define ASSERT_NE(a, b) DCC_HOLDS((a) != (b), #a " != " #b, true)
#define ASSERT_GE(a, b) DCC_HOLDS((a) >= (b), #a " >= " #b, true)
#define ASSERT_LE(a, b) DCC_HOLDS((a) <= (b), #a " <= " #b, true)
#define ASSERT_LT(a, b) DCC_HOLDS((a) < (b), #a " < " #b, true)
#define EXPECT_TRUE(a) DCC_HOLDS((a), #a, false)
#define EXPECT_FALSE(a) DCC_HOLDS(!(a), "not " #a, false)
#define EXPECT_EQ(a, b) DCC_HOLDS((a) == (b), #a " == " #b, false)
#define EXPECT_NE(a, b) DCC_HOLDS((a) != (b), #a " != " #b, false)
#define EXPECT_GE(a, b) DCC_HOLDS((a) >= (b), #a " >= " #b, false)
#define EXPECT_GT(a, b) DCC_HOLDS((a) > (b), #a " > " #b, false)
#define EXPECT_LE(a, b) DCC_HOLDS((a) <= (b), #a " <= " #b, false)
#define EXPECT_LT(a, b) DCC_HOLDS((a) < (b), #a " < " #b, false)
