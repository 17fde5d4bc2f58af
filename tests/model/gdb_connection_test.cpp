// Tests GDB packets over a socket: framing, checksums, escapes, and the acceptance of connections.
#include "cpu/gdb_connection.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "gdb_client.h"

namespace dcc::model::gdb_connection_test {
namespace {

constexpr int kPatience = 20'000;  // time in ms after which a hang counts as a failure

TEST(GdbConnection, TakesPacketsAndAnswersForDamagedOnes) {
  GdbConnection server(0);
  const GdbClient client(server.port());
  ASSERT_TRUE(client.connected());
  client.raw("rubbish$g#00");  // a packet with a wrong checksum
  client.send("m80000000,4");
  const auto input = server.receive(kPatience);
  ASSERT_TRUE(input);
  EXPECT_EQ(input->kind, GdbConnection::Input::kPacket);
  EXPECT_EQ(input->packet, "m80000000,4");
  EXPECT_EQ(client.next(), '-');
  EXPECT_EQ(client.next(), '+');
}

TEST(GdbConnection, EscapesBothWays) {
  GdbConnection server(0);
  const GdbClient client(server.port());
  client.send(std::string("X}") + static_cast<char>('#' ^ 0x20) + "y");
  const auto input = server.receive(kPatience);
  ASSERT_TRUE(input);
  EXPECT_EQ(input->packet, "X#y");
  server.send("a$b");
  EXPECT_EQ(client.receive(), std::string("a}") + static_cast<char>('$' ^ 0x20) + "b");
}

TEST(GdbConnection, ControlCAndTheEnd) {
  GdbConnection server(0);
  {
    const GdbClient client(server.port());
    client.raw("\x03");
    const auto input = server.receive(kPatience);
    ASSERT_TRUE(input);
    EXPECT_EQ(input->kind, GdbConnection::Input::kInterrupt);
  }
  const auto end = server.receive(kPatience);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, GdbConnection::Input::kClosed);
  EXPECT_FALSE(server.connected());
}

TEST(GdbConnection, NobodyThereIsNothing) {
  GdbConnection server(0);
  EXPECT_FALSE(server.receive(0));
  EXPECT_THROW(GdbConnection second(server.port()), std::runtime_error);
}

TEST(GdbConnection, WhoHasNotSaidAPacketGivesWay) {
  GdbConnection server(0);
  const GdbClient scanner(server.port());
  scanner.raw("GET / HTTP/1.0\r\n");
  EXPECT_FALSE(server.receive(100));
  const GdbClient debugger(server.port());
  debugger.send("?");
  const auto input = server.receive(kPatience);
  ASSERT_TRUE(input);
  EXPECT_EQ(input->packet, "?");
  EXPECT_EQ(scanner.next(), '\0') << "cut off";
}

TEST(GdbConnection, HexDigits) {
  EXPECT_EQ(hex_digit('0'), 0);
  EXPECT_EQ(hex_digit('f'), 15);
  EXPECT_EQ(hex_digit('A'), 10);
  EXPECT_EQ(hex_digit('g'), -1);
}

}  // namespace
}  // namespace dcc::model::gdb_connection_test
