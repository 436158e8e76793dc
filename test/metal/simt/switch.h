// Owns: saving one fiber's registers and taking up another's, on x86-64 and arm64.
// Must not know: what runs on the fibers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" void simt_switch(void **save, void *take);

#if defined(__x86_64__)
asm(R"(
.text
.weak simt_switch
.type simt_switch,@function
simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size simt_switch,.-simt_switch
)");

// The stack pointer of a fiber that will begin at `entry`.
static inline void *fresh_stack(char *stack, size_t bytes, void (*entry)()) {
    void **top = reinterpret_cast<void **>(stack + bytes);
    *--top = nullptr;  // the entry sees a stack pointer that is 8 past a multiple of 16
    *--top = reinterpret_cast<void *>(entry);
    for (int i = 0; i < 6; ++i) *--top = nullptr;
    return top;
}
#elif defined(__aarch64__)
asm(R"(
.text
.weak simt_switch
.type simt_switch,%function
simt_switch:
  stp x29, x30, [sp, #-160]!
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x29, x30, [sp], #160
  ret
.size simt_switch,.-simt_switch
)");

static inline void *fresh_stack(char *stack, size_t bytes, void (*entry)()) {
    char *top = stack + bytes - 160;
    memset(top, 0, 160);
    reinterpret_cast<void **>(top)[1] = reinterpret_cast<void *>(entry);
    return top;
}
#else
#error "lanes need a context switch for this processor"
#endif
