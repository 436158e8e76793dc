// Owns: a data set in memory: raw frames and their chunks, as two files hold them.
// Must not know: contenders, clocks.
#pragma once
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

using Bytes = std::vector<std::uint8_t>;

inline Bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot read " + path);
  Bytes bytes(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()))) {
    throw std::runtime_error("cannot read " + path);
  }
  return bytes;
}

/** Frames of one data set. The chunk file holds a u32 LE length before each chunk. */
class DataSet {
 public:
  struct Chunk {
    const std::uint8_t* data;
    std::size_t bytes;
  };

  DataSet(std::string name, unsigned element_bytes, std::size_t frame_bytes, const std::string& raw_path,
          const std::string& chunk_path)
      : name(std::move(name)),
        element_bytes(element_bytes),
        frame_bytes(frame_bytes),
        raw_(read_file(raw_path)),
        stored_(read_file(chunk_path)) {
    for (std::size_t at = 0; at < stored_.size(); at += chunks_.back().bytes) {
      if (stored_.size() - at < 4) throw std::runtime_error(chunk_path + " is cut");
      const std::size_t bytes = stored_[at] | std::size_t{stored_[at + 1]} << 8 |
                                std::size_t{stored_[at + 2]} << 16 | std::size_t{stored_[at + 3]} << 24;
      at += 4;
      if (stored_.size() - at < bytes) throw std::runtime_error(chunk_path + " is cut");
      chunks_.push_back({stored_.data() + at, bytes});
    }
    if (chunks_.empty() || raw_.size() != chunks_.size() * frame_bytes) {
      throw std::runtime_error(raw_path + " and " + chunk_path + " differ in frames");
    }
  }

  std::size_t frames() const { return chunks_.size(); }
  const Chunk& chunk(std::size_t frame) const { return chunks_[frame]; }
  const std::uint8_t* raw(std::size_t frame) const { return raw_.data() + frame * frame_bytes; }
  std::size_t readable_bytes(std::size_t frame) const {
    return static_cast<std::size_t>(stored_.data() + stored_.size() - chunks_[frame].data);
  }

  const std::string name;
  const unsigned element_bytes;
  const std::size_t frame_bytes;

 private:
  Bytes raw_;
  Bytes stored_;
  std::vector<Chunk> chunks_;
};

}  // namespace bench
