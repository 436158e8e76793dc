// Owns: kiyo-masui's bitshuffle library as a contender, and as the encoder of every chunk that the bench
// decodes. Must not know: how it is compiled (decoders.mjs does).
#include <string.h>

#include "bitshuffle.h"
#include "contender.h"

static int decode(const void* self, const struct bench_chunk* chunk) {
  (void)self;
  const size_t elements = chunk->frame_bytes / chunk->element_bytes;
  return bshuf_decompress_lz4(chunk->stored + BENCH_CHUNK_HEADER, chunk->frame, elements,
                              chunk->element_bytes, bench_block_bytes(chunk) / chunk->element_bytes) < 0;
}

struct bench_decoder bench_find(const char* variant) {
  (void)variant;
  const struct bench_decoder decoder = {decode, NULL};
  return decoder;
}

size_t bench_encode_bound(size_t frame_bytes, unsigned element_bytes, size_t block_elements) {
  return BENCH_CHUNK_HEADER +
         bshuf_compress_lz4_bound(frame_bytes / element_bytes, element_bytes, block_elements);
}

static void put_big_endian(uint8_t* out, uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i, value >>= 8) out[i] = (uint8_t)value;
}

size_t bench_encode(const uint8_t* frame, size_t frame_bytes, unsigned element_bytes, size_t block_elements,
                    uint8_t* stored) {
  const size_t elements = frame_bytes / element_bytes;
  const size_t block = block_elements != 0 ? block_elements : bshuf_default_block_size(element_bytes);
  put_big_endian(stored, frame_bytes, 8);
  put_big_endian(stored + 8, block * element_bytes, 4);
  const int64_t bytes =
      bshuf_compress_lz4(frame, stored + BENCH_CHUNK_HEADER, elements, element_bytes, block);
  return bytes < 0 ? 0 : BENCH_CHUNK_HEADER + (size_t)bytes;
}
