// Owns: reversing the byte order of elements in place.
// Must not know: formats.
#pragma once
#include "core/bytes.h"

namespace framelab {
namespace {

inline std::uint16_t reversed(std::uint16_t v) { return __builtin_bswap16(v); }
inline std::uint32_t reversed(std::uint32_t v) { return __builtin_bswap32(v); }
inline std::uint64_t reversed(std::uint64_t v) { return __builtin_bswap64(v); }

template <class Word>
inline void swap_words(std::uint8_t* data, std::size_t bytes) {
  for (std::size_t i = 0; i + sizeof(Word) <= bytes; i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, data + i, sizeof word);
    word = reversed(word);
    std::memcpy(data + i, &word, sizeof word);
  }
}

/** `bytes` bytes of whole elements of 2, 4 or 8 bytes; any other size is left alone. */
inline void swap_elements(std::uint8_t* data, std::size_t bytes, unsigned element_bytes) {
  if (element_bytes == 2) swap_words<std::uint16_t>(data, bytes);
  if (element_bytes == 4) swap_words<std::uint32_t>(data, bytes);
  if (element_bytes == 8) swap_words<std::uint64_t>(data, bytes);
}

}  // namespace
}  // namespace framelab
