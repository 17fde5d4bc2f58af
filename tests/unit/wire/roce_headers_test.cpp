#include "wire/roce_headers.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>

namespace dcc::roce {
namespace {

std::vector<std::uint8_t> from_hex(const std::string& text) {
  std::vector<std::uint8_t> bytes;
  std::string digits;
  for (const char c : text) {
    if (c != ' ') digits += c;
  }
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// A CNP of a ConnectX-4 Lx adapter, captured on the wire and published with scapy's tests.
const char* const kCapturedCnp =
    "e41d2dab2bc27cfe90643b32080045c2 003c718c4000401191610a0011010a00"
    "1201000012b700280000 8100ffff4000 01180000000000000000000000000000"
    "000000000000 82fd002a";

Headers example(Opcode opcode) {
  Headers h;
  h.destination_mac = mac_of(3);
  h.source_mac = mac_of(70000);
  h.dscp = 46;
  h.ecn = Ecn::kEct0;
  h.identification = 0x1234;
  h.source_ip = ip_of(70000);
  h.destination_ip = ip_of(3);
  h.source_port = source_port_of(77);
  h.opcode = opcode;
  h.destination_qpn = 0xABCDEF;
  h.psn = 0x123456;
  h.ack_request = true;
  if (has_reth(opcode)) {
    h.virtual_address = 0x1122334455667788u;
    h.remote_key = 0xCAFEBABE;
    h.dma_length = 65536;
  }
  if (has_immediate(opcode)) h.immediate = 0xDEADBEEF;
  if (has_rdeth(opcode)) h.ee_context = 0x456789;
  if (has_deth(opcode)) {
    h.queue_key = 0x80000001;
    h.source_qpn = 0x123ABC;
  }
  if (has_aeth(opcode)) {
    h.syndrome = kSyndromeNakSequence;
    h.message_number = 0x654321;
  }
  if (has_atomic_eth(opcode)) {
    h.virtual_address = 0x8877665544332211u;
    h.remote_key = 0xFEEDF00D;
    h.swap_or_add = 0x0102030405060708u;
    h.compare = 0x1112131415161718u;
  }
  if (opcode == Opcode::kAtomicAcknowledge) h.original = 0x2122232425262728u;
  if (opcode == Opcode::kCnp) h.cnp_marks = 17, h.cnp_packets = 23;
  return h;
}

std::vector<Opcode> all_opcodes() {
  std::vector<Opcode> all{Opcode::kUdSendOnly, Opcode::kUdSendOnlyImmediate, Opcode::kCnp};
  for (std::uint8_t o = 0; o <= 0x14; ++o) all.push_back(static_cast<Opcode>(o));
  for (std::uint8_t o = 0x20; o <= 0x2B; ++o) all.push_back(static_cast<Opcode>(o));
  for (std::uint8_t o = 0x40; o <= 0x4B; ++o) all.push_back(static_cast<Opcode>(o));
  all.push_back(Opcode::kRdAcknowledge);
  return all;
}

TEST(RoceHeaders, ACapturedCnpParsesAndIsRebuiltByteForByte) {
  const auto bytes = from_hex(kCapturedCnp);
  ASSERT_EQ(bytes.size(), cnp_wire_bytes() - kFcs);
  const Parsed parsed = parse(bytes.data(), bytes.size());
  ASSERT_EQ(parsed.error, ParseError::kNone) << describe(parsed.error);
  EXPECT_EQ(parsed.headers.opcode, Opcode::kCnp);
  EXPECT_TRUE(parsed.headers.becn);
  EXPECT_FALSE(parsed.headers.fecn);
  EXPECT_EQ(parsed.headers.dscp, 48);
  EXPECT_EQ(parsed.headers.ecn, Ecn::kEct0);
  EXPECT_EQ(parsed.headers.destination_qpn, 0x118u);
  EXPECT_EQ(parsed.payload_size, 0u);
  EXPECT_EQ(serialize(parsed.headers, nullptr, 0), bytes);
}

TEST(RoceHeaders, InvariantCrcOfAKnownPacketWithPadding) {
  // A packet with 18 bytes of payload and two of padding. Its ICRC on the wire is 78 f3 53 f3
  // (scapy's tests).
  const auto bytes = from_hex(
      "248a07a8fa22248a07a8fa220800 4501004004784000 4011b4d5c0a80007c0a80007"
      "c00012b7002caca2 2460ffff000000d300cf1710");
  HeaderBytes head;
  std::copy(bytes.begin(), bytes.end(), head.bytes.begin());
  head.size = bytes.size();
  const std::uint8_t payload[] = {'F',  '0',  0x81, 0x8b, 0xe2, 0x89, '5',  0xd9, 0x0e,
                                  0x9a, 0x95, 'P',  'T',  0x01, 0xbe, 0x88, '^',  'P'};
  EXPECT_EQ(invariant_crc(head, payload, sizeof payload), 0xf353f378u);
}

TEST(RoceHeaders, WhatIsWrittenIsRead) {
  std::mt19937 noise(1);
  for (const Opcode opcode : all_opcodes()) {
    for (std::uint32_t size = 0; size <= (has_payload(opcode) ? 1025u : 0u);
         size += size < 9 ? 1 : 127) {
      std::vector<std::uint8_t> payload(size);
      for (auto& byte : payload) byte = static_cast<std::uint8_t>(noise());
      const Headers h = example(opcode);
      const auto bytes = serialize(h, payload.data(), size);
      const Parsed parsed = parse(bytes.data(), bytes.size());
      ASSERT_EQ(parsed.error, ParseError::kNone) << describe(parsed.error);
      EXPECT_EQ(std::vector<std::uint8_t>(parsed.payload, parsed.payload + parsed.payload_size),
                payload);
      // All fields were parsed, so serializing them again gives the same bytes.
      EXPECT_EQ(serialize(parsed.headers, parsed.payload, parsed.payload_size), bytes);
      EXPECT_EQ(parsed.headers.destination_qpn, 0xABCDEFu);
      EXPECT_EQ(parsed.headers.psn, 0x123456u);
      EXPECT_EQ(parsed.headers.virtual_address, h.virtual_address);
      EXPECT_EQ(parsed.headers.dma_length, h.dma_length);
      EXPECT_EQ(parsed.headers.immediate, h.immediate);
      EXPECT_EQ(parsed.headers.ee_context, h.ee_context);
      EXPECT_EQ(parsed.headers.queue_key, h.queue_key);
      EXPECT_EQ(parsed.headers.source_qpn, h.source_qpn);
      EXPECT_EQ(parsed.headers.syndrome, h.syndrome);
      EXPECT_EQ(parsed.headers.message_number, h.message_number);
      EXPECT_EQ(parsed.headers.cnp_marks, h.cnp_marks);
      EXPECT_EQ(parsed.headers.cnp_packets, h.cnp_packets);
      EXPECT_EQ(parsed.headers.dscp, 46);
      EXPECT_EQ(parsed.headers.swap_or_add, h.swap_or_add);
      EXPECT_EQ(parsed.headers.compare, h.compare);
      EXPECT_EQ(parsed.headers.original, h.original);
    }
  }
}

TEST(RoceHeaders, LengthsAreThoseTheModelCounts) {
  const auto wire = [](Opcode opcode, std::uint32_t size) {
    const auto bytes = static_cast<std::uint32_t>(serialize(example(opcode), nullptr, size).size());
    return at_least_smallest(bytes + kFcs);
  };
  EXPECT_EQ(wire(Opcode::kCnp, 0), cnp_wire_bytes());
  EXPECT_EQ(wire(Opcode::kAcknowledge, 0), ack_wire_bytes());
  for (std::uint32_t size : {0u, 1u, 999u, 1000u, 4096u}) {
    EXPECT_EQ(wire(Opcode::kWriteOnly, size), data_wire_bytes(size, true, false));
    EXPECT_EQ(wire(Opcode::kWriteOnlyImmediate, size), data_wire_bytes(size, true, true));
    EXPECT_EQ(wire(Opcode::kWriteMiddle, size), data_wire_bytes(size, false, false));
    EXPECT_EQ(wire(Opcode::kWriteLastImmediate, size), data_wire_bytes(size, false, true));
    EXPECT_EQ(wire(Opcode::kSendMiddle, size), send_wire_bytes(size, false, false));
    EXPECT_EQ(wire(Opcode::kSendOnlyImmediate, size), send_wire_bytes(size, true, false));
    EXPECT_EQ(wire(Opcode::kUdSendOnly, size), send_wire_bytes(size, false, true));
    const auto rd = [](Opcode opcode) {
      return static_cast<Opcode>(static_cast<std::uint8_t>(opcode) | kDatagram);
    };
    EXPECT_EQ(wire(rd(Opcode::kWriteOnly), size + 4),
              data_wire_bytes(size + 4, true, false) + kReliableDatagram);
    EXPECT_EQ(wire(rd(Opcode::kSendLastImmediate), size + 4),
              send_wire_bytes(size + 4, true, false) + kReliableDatagram);
    EXPECT_EQ(wire(Opcode::kReadResponseFirst, size), read_response_wire_bytes(size, true, false));
    EXPECT_EQ(wire(Opcode::kReadResponseMiddle, size),
              read_response_wire_bytes(size, false, false));
    EXPECT_EQ(wire(Opcode::kReadResponseLast, size), read_response_wire_bytes(size, false, true));
  }
  EXPECT_EQ(wire(Opcode::kRdAcknowledge, 0), datagram_ack_wire_bytes());
  EXPECT_EQ(wire(Opcode::kReadRequest, 0), read_request_wire_bytes());
  EXPECT_EQ(wire(Opcode::kCompareSwap, 0), atomic_request_wire_bytes());
  EXPECT_EQ(wire(Opcode::kFetchAdd, 0), atomic_request_wire_bytes());
  EXPECT_EQ(wire(Opcode::kAtomicAcknowledge, 0), atomic_response_wire_bytes());
}

TEST(RoceHeaders, TheCrcCoversAllButWhatRoutersChange) {
  const auto good = serialize(example(Opcode::kWriteOnly), nullptr, 100);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    auto bytes = good;
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1u << bit % 8));
    const ParseError error = parse(bytes.data(), bytes.size()).error;
    const std::size_t byte = bit / 8;
    const bool mac = byte < 12;
    const bool udp_checksum = byte == 40 || byte == 41;
    const bool fecn_becn_reserved = byte == 46;
    if (mac || udp_checksum || fecn_becn_reserved) {
      EXPECT_EQ(error, ParseError::kNone) << "byte " << byte;
    } else {
      EXPECT_NE(error, ParseError::kNone) << "byte " << byte;
    }
  }
  // A switch sets CE and decrements the TTL. The IPv4 checksum changes, the invariant CRC does not.
  Headers routed = example(Opcode::kWriteOnly);
  routed.ecn = Ecn::kCe;
  routed.ttl = 61;
  routed.dscp = 0;
  const auto hop = serialize(routed, nullptr, 100);
  EXPECT_TRUE(std::equal(hop.end() - 4, hop.end(), good.end() - 4));
  EXPECT_NE(hop, good);
}

TEST(RoceHeaders, ATagPaddingAndAFcsAreAccepted) {
  auto bytes = serialize(example(Opcode::kAcknowledge), nullptr, 0);
  bytes.insert(bytes.begin() + 12, {0x81, 0x00, 0xA0, 0x05});
  bytes.insert(bytes.end(), {1, 2, 3, 4});
  const Parsed parsed = parse(bytes.data(), bytes.size());
  EXPECT_EQ(parsed.error, ParseError::kNone);
  EXPECT_TRUE(parsed.vlan_tagged);
  EXPECT_EQ(parsed.vlan_priority, 5);
}

TEST(RoceHeaders, ErrorsAreValues) {
  const auto good = serialize(example(Opcode::kWriteOnly), nullptr, 10);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(parse(good.data(), size).error, ParseError::kTruncated) << size;
  }
  const auto with = [&](std::size_t at, std::uint8_t value, bool fix_checksum = false) {
    auto bytes = good;
    bytes[at] = value;
    if (fix_checksum) {
      bytes[24] = bytes[25] = 0;
      std::uint32_t sum = 0;
      for (std::size_t i = 14; i < 34; i += 2)
        sum += static_cast<std::uint32_t>(bytes[i] << 8 | bytes[i + 1]);
      sum = (sum & 0xFFFF) + (sum >> 16);
      sum = ~((sum & 0xFFFF) + (sum >> 16));
      bytes[24] = static_cast<std::uint8_t>(sum >> 8);
      bytes[25] = static_cast<std::uint8_t>(sum);
    }
    return parse(bytes.data(), bytes.size()).error;
  };
  EXPECT_EQ(with(12, 0x86), ParseError::kNotRoce);
  EXPECT_EQ(with(14, 0x46), ParseError::kBadHeader);
  EXPECT_EQ(with(22, 3), ParseError::kBadChecksum);
  EXPECT_EQ(with(23, 6, true), ParseError::kNotRoce);
  EXPECT_EQ(with(20, 0x20, true), ParseError::kNotRoce);  // the frame is a fragment
  EXPECT_EQ(with(37, 0), ParseError::kNotRoce);           // the frame has another UDP port
  EXPECT_EQ(with(39, 0), ParseError::kBadHeader);         // the UDP length is wrong
  EXPECT_EQ(with(42, 0x15), ParseError::kBadOpcode);
  EXPECT_EQ(with(43, 0x41), ParseError::kBadHeader);             // the transport version is wrong
  EXPECT_EQ(with(42, 0x81), ParseError::kBadPayload);            // a CNP must have no payload
  EXPECT_EQ(with(good.size() - 6, 1), ParseError::kBadPayload);  // padding must be zero
  EXPECT_EQ(with(good.size() - 1, static_cast<std::uint8_t>(good.back() ^ 1)),
            ParseError::kBadIcrc);
}

TEST(RoceHeaders, RubbishIsRefusedWithoutHarm) {
  std::mt19937 noise(3);
  const std::vector<Opcode> all = all_opcodes();
  std::uint64_t accepted = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::vector<std::uint8_t> bytes;
    if (round % 2 == 0) {
      bytes = serialize(example(all[noise() % all.size()]), nullptr,
                        noise() % 2 != 0 ? noise() % 64 : 0);
      for (unsigned i = 0; i < 1 + noise() % 4; ++i)
        bytes[noise() % bytes.size()] = static_cast<std::uint8_t>(noise());
      if (noise() % 4 == 0) bytes.resize(noise() % (bytes.size() + 1));
    } else {
      bytes.resize(noise() % 120);
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>(noise());
    }
    // A heap copy of the exact size lets the address sanitizer detect each access beyond the end.
    const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
    const Parsed parsed = parse(exact.data(), exact.size());
    if (parsed.error == ParseError::kNone) {
      ++accepted;
      ASSERT_LE(parsed.payload + parsed.payload_size + kIcrc, exact.data() + exact.size());
    }
  }
  EXPECT_GT(accepted, 0u);  // some changes affect bytes that the CRC does not cover
  EXPECT_LT(accepted, 60'000u);
}

TEST(RoceHeaders, ModelPacketsBecomeTheRightOpcodes) {
  Packet packet;
  packet.source = 1;
  packet.destination = 2;
  packet.psn = 0x5'000'001;  // the packet number has 24 bits on the wire
  packet.destination_qpn = 9;
  const auto opcode = [&](bool first, bool last, bool immediate) {
    packet.first = first;
    packet.last = last;
    packet.has_immediate = immediate;
    return headers_of(packet, 100).opcode;
  };
  EXPECT_EQ(opcode(true, false, true), Opcode::kWriteFirst);
  EXPECT_EQ(opcode(false, false, true), Opcode::kWriteMiddle);
  EXPECT_EQ(opcode(false, true, false), Opcode::kWriteLast);
  EXPECT_EQ(opcode(false, true, true), Opcode::kWriteLastImmediate);
  EXPECT_EQ(opcode(true, true, false), Opcode::kWriteOnly);
  EXPECT_EQ(opcode(true, true, true), Opcode::kWriteOnlyImmediate);
  EXPECT_EQ(headers_of(packet, 100).psn, 0x000001u);
  EXPECT_NE(mac_of(1), mac_of(2));
  packet.kind = PacketKind::kCnp;
  packet.cnp_marks = 5;
  packet.cnp_packets = 255;
  EXPECT_EQ(headers_of(packet, 0).cnp_marks, 5);
  EXPECT_EQ(headers_of(packet, 0).cnp_packets, 255);
  packet.cnp_packets = 0;  // without a count of packets there is no count of marks
  EXPECT_EQ(headers_of(packet, 0).cnp_marks, 0);
  EXPECT_EQ(headers_of(packet, 0).cnp_packets, 0);
  EXPECT_TRUE(headers_of(packet, 0).becn);
  packet.kind = PacketKind::kNak;
  EXPECT_EQ(headers_of(packet, 0).syndrome, kSyndromeNakSequence);
}

/// Header fields as Wireshark's dissector reads them, one line per packet.
std::vector<std::string> dissect(const std::vector<std::vector<std::uint8_t>>& packets,
                                 const std::string& fields) {
  const std::string path = ::testing::TempDir() + "roce.pcap";
  std::ofstream out(path, std::ios::binary);
  const auto word = [&](std::uint32_t value) {
    out.write(reinterpret_cast<const char*>(&value), sizeof value);
  };
  word(0xA1B2C3D4);
  word(0x00040002);
  word(0);
  word(0);
  word(65535);
  word(1);  // link type 1: Ethernet
  for (const auto& bytes : packets) {
    word(0);
    word(0);
    word(static_cast<std::uint32_t>(bytes.size()));
    word(static_cast<std::uint32_t>(bytes.size()));
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  }
  out.close();
  const std::string command =
      "tshark -r " + path + " -o ip.check_checksum:TRUE -T fields " + fields + " 2>/dev/null";
  std::vector<std::string> lines;
  if (FILE* const pipe = popen(command.c_str(), "r")) {
    char line[1024];
    while (std::fgets(line, sizeof line, pipe) != nullptr) {
      lines.emplace_back(line);
      lines.back().pop_back();
    }
    pclose(pipe);
  }
  std::remove(path.c_str());
  return lines;
}

TEST(RoceHeaders, WiresharkReadsTheSame) {
  if (std::system("tshark --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no tshark here";
  std::vector<std::vector<std::uint8_t>> packets;
  for (const Opcode opcode : all_opcodes()) {
    packets.push_back(serialize(example(opcode), nullptr, has_payload(opcode) ? 6 : 0));
  }
  const auto lines =
      dissect(packets,
              "-e infiniband.bth.opcode -e infiniband.bth.destqp -e infiniband.bth.psn "
              "-e infiniband.bth.padcnt -e infiniband.bth.a -e infiniband.reth.va "
              "-e infiniband.reth.r_key -e infiniband.reth.dmalen -e infiniband.immdt "
              "-e infiniband.aeth.syndrome -e infiniband.aeth.msn -e infiniband.deth.q_key "
              "-e infiniband.deth.srcqp -e ip.dsfield.dscp -e ip.dsfield.ecn "
              "-e ip.checksum.status -e udp.srcport -E separator=, -E occurrence=f");
  const std::string ip = ",46,2,1,49229";
  ASSERT_EQ(lines.size(), packets.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Opcode opcode = all_opcodes()[i];
    std::string expected = std::to_string(static_cast<unsigned>(opcode)) + ",0xabcdef,1193046,";
    expected += has_payload(opcode) ? "2,1," : "0,1,";
    expected += has_reth(opcode)         ? "0x1122334455667788,0xcafebabe,65536,"
                : has_atomic_eth(opcode) ? "0x8877665544332211,0xfeedf00d,,"
                                         : ",,,";
    expected += has_immediate(opcode) ? "deadbeef," : ",";
    expected += has_aeth(opcode) ? "96,6636321," : ",,";
    expected += has_deth(opcode) ? "0x0000000080000001,0x00123abc" : ",";
    if (has_rdeth(opcode)) {  // Wireshark 4 expects these extended headers 8 bytes too late
      EXPECT_EQ(lines[i].substr(0, lines[i].find(',', 12)),
                expected.substr(0, expected.find(',', 12)));
      continue;
    }
    EXPECT_EQ(lines[i], expected + ip);
  }
}

// The largest network has 1 048 576 hosts, whose switches have higher node numbers.
TEST(Addresses, DifferBeyondSixteenBits) {
  std::set<MacAddress> macs;
  std::set<std::uint32_t> ips;
  std::size_t made = 0;
  for (const HostId low : {0u, 1u, 254u, 255u, 256u, 65'534u, 65'535u}) {
    for (HostId high = 0; high < 16; ++high, ++made) {
      macs.insert(mac_of(high << 16 | low));
      ips.insert(ip_of(high << 16 | low));
    }
  }
  EXPECT_EQ(macs.size(), made);
  EXPECT_EQ(ips.size(), made);
  for (const unsigned node :
       {0u, 1u, 65'535u, 65'536u, 65'537u, 1'048'576u, 1'048'577u, 2'097'151u}) {
    for (const unsigned port : {0u, 1u, 255u, 256u, 65'534u, 65'535u}) {
      macs.insert(mac_of_port(node, port));
      ++made;
    }
  }
  EXPECT_EQ(macs.size(), made);
}

}  // namespace
}  // namespace dcc::roce
