// Owns: the limit of the machine: writing a frame's bytes and nothing else.
// Must not know: chunks beyond their frame.
#include <string.h>

#include "contender.h"

/** One cache line; the compiler stores it with the widest vectors that it was told of. */
typedef uint8_t line __attribute__((vector_size(64), aligned(1), may_alias));

static int store_lines(const void* self, const struct bench_chunk* chunk) {
  (void)self;
  const line value = {chunk->stored[0]};
  size_t at = 0;
  for (; at + sizeof value <= chunk->frame_bytes; at += sizeof value) {
    *(line*)(chunk->frame + at) = value;
    // Without this the compiler makes the loop a call of memset.
    __asm__ volatile("" ::: "memory");
  }
  memset(chunk->frame + at, 0, chunk->frame_bytes - at);
  return 0;
}

static int call_memset(const void* self, const struct bench_chunk* chunk) {
  (void)self;
  memset(chunk->frame, chunk->stored[0], chunk->frame_bytes);
  return 0;
}

struct bench_decoder bench_find(const char* variant) {
  struct bench_decoder decoder = {NULL, NULL};
  if (strcmp(variant, "memset") == 0) decoder.decode = call_memset;
  if (strcmp(variant, "stores") == 0) decoder.decode = store_lines;
  return decoder;
}
