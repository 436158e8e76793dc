// Owns: writing memory and giving it back to the system, so that a load timed next finds it there.
// Must not know: loads.
//
//   touch <bytes>
//
// A virtual machine may hand memory that has been free for a second or two back to its host; the next touch of it then
// costs ten times as much as a fault of the system itself, and would be timed as the load's.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char** argv) {
  const size_t huge_page = (size_t)2 << 20;
  const size_t bytes = argc == 2 ? (size_t)strtoull(argv[1], NULL, 10) : 0;
  void* memory = NULL;
  if (bytes == 0) {
    fprintf(stderr, "usage: touch <bytes>\n");
    return 2;
  }
  if (posix_memalign(&memory, huge_page, bytes) != 0) {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    return 1;
  }
#ifdef MADV_HUGEPAGE
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  for (size_t at = 0; at < bytes; at += 4096) ((volatile char*)memory)[at] = 1;
  return 0;
}
