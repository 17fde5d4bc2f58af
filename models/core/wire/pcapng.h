// Writes packets to a pcapng file, the format of Wireshark. The file has one section, and one
// interface per port. draft-ietf-opsawg-pcapng: blocks 4.1 (section), 4.2 (interface), 4.3
// (enhanced packet).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace dcc {

/// Description of a captured port.
struct PcapngInterface {
  std::string name;
  std::string description;
  std::uint64_t bits_per_second = 0;
};

/// A writer of pcapng files, little-endian on every machine. The writer allocates no memory per
/// packet, and writes to the disk in large blocks.
class PcapngWriter {
 public:
  /// Creates a pcapng file. `snap_length`: greatest number of bytes stored of a packet, at most 65
  /// 535. Throws std::runtime_error if the file cannot be created.
  PcapngWriter(const std::string& path, std::uint32_t snap_length);
  PcapngWriter(const PcapngWriter&) = delete;
  PcapngWriter& operator=(const PcapngWriter&) = delete;

  /// Adds an Ethernet interface with time stamps in nanoseconds. Returns its number.
  std::uint32_t add_interface(const PcapngInterface& port);

  /// Begins a captured packet and returns a buffer of snap_length bytes for the packet's bytes;
  /// end_packet() must follow. Times must not decrease.
  std::uint8_t* begin_packet(std::uint32_t port, std::uint64_t nanoseconds);
  /// Ends a captured packet of `length` bytes; the buffer holds the packet's first `captured`
  /// bytes.
  void end_packet(std::uint32_t captured, std::uint32_t length);

  std::uint64_t packets() const { return packets_; }
  /// Writes all buffered bytes and closes the pcapng file. Throws std::runtime_error if any write
  /// failed.
  void close();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void flush();
  void put16(std::uint32_t value);
  void put32(std::uint32_t value);
  void put_option(std::uint32_t code, const void* value, std::size_t size);
  void finish_block(std::size_t begin);

  std::string path_;
  std::uint32_t snap_length_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;
  std::uint32_t ports_ = 0;
  std::uint64_t packets_ = 0;
  bool failed_ = false;
};

}  // namespace dcc
