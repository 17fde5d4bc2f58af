// InfiniBand's management datagrams: 256 bytes with a common header, directed routes and
// attributes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dcc {

/// A management datagram (MAD) in network byte order. InfiniBand Architecture Specification 1.3,
/// volume 1: 13.4 (common header), 14.2 (subnet management, directed routes), 15.2 (subnet
/// administration).
class Mad {
 public:
  static constexpr std::size_t kBytes = 256;
  static constexpr std::size_t kMaxHops = 63;  // greatest number of hops of a directed route

  enum Class : std::uint8_t { kDirectedRoute = 0x81, kAdministration = 0x03 };
  enum Method : std::uint8_t { kGet = 0x01, kSet = 0x02, kGetResponse = 0x81 };
  enum Attribute : std::uint16_t {
    kNodeInfo = 0x0011,
    kPortInfo = 0x0015,
    kVlArbitration = 0x0018,
    kLinearForwarding = 0x0019,
    kPathRecord = 0x0035,
    // Vendor attribute: rate of a port in bits per second. The encodings of PortInfo do not have
    // all rates that a configuration may write.
    kLinkRate = 0xFF01,
  };
  enum Status : std::uint16_t {
    kOk = 0,
    kUnsupported = 0x000C,   // the agent does not know the attribute with this method
    kInvalidField = 0x001C,  // a field or the modifier has a value that the agent refuses
    kNoResources = 0x0100,   // subnet administration: the request cannot be granted
    kNoRecords = 0x0300,     // subnet administration: no record matches the query
  };
  // Values of fields in attributes.
  static constexpr std::uint64_t kTypeHost = 1, kTypeSwitch = 2;  // values of the field NodeType
  static constexpr std::uint64_t kPortDown = 1, kPortActive = 4;  // values of the field PortState
  // number of entries in a block of LinearForwardingTable
  static constexpr unsigned kForwardingBlock = 64;
  static constexpr std::uint8_t kNoPort = 0xFF;  // forwarding entry of a LID to which no port leads
  static constexpr std::uint32_t kAddressesEnd = 0xC000;  // first LID that is not unicast
  // Offsets of the attribute's data in the datagram.
  static constexpr std::size_t kSmpData = 64;
  static constexpr std::size_t kRecordData = 56;

  Mad() = default;
  Mad(Class mad_class, Method method, Attribute attribute, std::uint32_t modifier);

  /// Reads a number of `size` bytes, at most 8, whose first byte is at `offset` of the datagram.
  std::uint64_t get(std::size_t offset, std::size_t size) const;
  /// Writes the lowest `size` bytes of `value` at `offset` of the datagram.
  void put(std::size_t offset, std::size_t size, std::uint64_t value);

  Class mad_class() const { return static_cast<Class>(get(1, 1)); }
  Method method() const { return static_cast<Method>(get(3, 1)); }
  Attribute attribute() const { return static_cast<Attribute>(get(16, 2)); }
  std::uint32_t modifier() const { return static_cast<std::uint32_t>(get(20, 4)); }
  /// Status of the datagram without the direction bit of directed routes.
  Status status() const { return static_cast<Status>(get(4, 2) & 0x7FFF); }
  std::uint64_t transaction() const { return get(8, 8); }
  void set_transaction(std::uint64_t id) { put(8, 8, id); }

  // --- Directed routes ------------------------------------------------------------------------
  bool returns() const { return (bytes_[4] & 0x80) != 0; }
  unsigned hop_pointer() const { return bytes_[6]; }
  void set_hop_pointer(unsigned hop) { bytes_[6] = static_cast<std::uint8_t>(hop); }
  unsigned hop_count() const { return bytes_[7]; }
  void set_hop_count(unsigned hops) { bytes_[7] = static_cast<std::uint8_t>(hops); }
  /// Port through which the datagram leaves at hop 1 … hop_count().
  std::uint8_t initial_path(unsigned hop) const { return bytes_[128 + hop % 64]; }
  void set_initial_path(unsigned hop, std::uint8_t port) { bytes_[128 + hop % 64] = port; }
  /// Port through which the datagram arrived at hop `hop`, and through which the answer leaves.
  std::uint8_t return_path(unsigned hop) const { return bytes_[192 + hop % 64]; }
  void set_return_path(unsigned hop, std::uint8_t port) { bytes_[192 + hop % 64] = port; }

  /// Turns the request into an answer by changing its method, and for directed routes its
  /// direction.
  void answer(Status status);

  const std::array<std::uint8_t, kBytes>& bytes() const { return bytes_; }

 private:
  std::array<std::uint8_t, kBytes> bytes_{};
};

}  // namespace dcc
