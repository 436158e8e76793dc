// Owns: LZ4 alone: what the LZ4 library takes of a decoder's time when nothing is unshuffled and nothing
// stored. Must not know: bit planes. Blocks are decoded to cache memory, never to the frame.
#include "lz4.h"

#include "contender.h"

enum { kMostBlockBytes = 65536 };

static int decode(const void* self, const struct bench_chunk* chunk) {
  (void)self;
  static _Thread_local char block[kMostBlockBytes];
  const size_t block_bytes = bench_block_bytes(chunk);
  if (block_bytes > kMostBlockBytes) return 1;
  const uint8_t* in = chunk->stored + BENCH_CHUNK_HEADER;
  const size_t group = (size_t)8 * chunk->element_bytes;
  size_t left = chunk->frame_bytes - chunk->frame_bytes % group;
  while (left > 0) {
    const size_t size = left < block_bytes ? left : block_bytes;
    const uint32_t bytes = bench_big_endian(in);
    if (LZ4_decompress_safe((const char*)in + 4, block, (int)bytes, (int)size) != (int)size) return 1;
    in += 4 + bytes;
    left -= size;
  }
  return 0;
}

struct bench_decoder bench_find(const char* variant) {
  (void)variant;
  const struct bench_decoder decoder = {decode, NULL};
  return decoder;
}
