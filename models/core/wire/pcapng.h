// Writes packets as a pcapng file, the format of Wireshark and its tools. One section, an interface
// a port. draft-ietf-opsawg-pcapng: blocks 4.1 (section), 4.2 (interface), 4.3 (enhanced packet).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace dcc {

/// A port that is captured, as the file describes it.
struct PcapngInterface {
  std::string name;
  std::string description;
  std::uint64_t bits_per_second = 0;
};

/// A file being written. Bytes are little-endian on every machine. Nothing is allocated per packet;
/// the disk is written to in large pieces.
class PcapngWriter {
 public:
  /// `snap_length`: the most bytes kept of a packet, at most 65 535. Throws std::runtime_error when
  /// the file cannot be created.
  PcapngWriter(const std::string& path, std::uint32_t snap_length);
  PcapngWriter(const PcapngWriter&) = delete;
  PcapngWriter& operator=(const PcapngWriter&) = delete;

  /// The number by which packets name it. Ethernet, time stamps in nanoseconds.
  std::uint32_t add_interface(const PcapngInterface& port);

  /// Room for a packet's bytes, snap_length of them; end_packet() must follow. Times must not fall.
  std::uint8_t* begin_packet(std::uint32_t port, std::uint64_t nanoseconds);
  /// `captured` bytes were put there, of the packet's `length`.
  void end_packet(std::uint32_t captured, std::uint32_t length);

  std::uint64_t packets() const { return packets_; }
  /// Writes what is left. Throws std::runtime_error if anything could not be written.
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
