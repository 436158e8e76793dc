// Owns: the checker's own test: mistakes that Metal refuses or punishes, each beside its right form.
// Must not know: how the checker finds them. `says` is what the complaint about the mistake must contain.

const kernel = (body, parameters = "") =>
  `[[max_total_threads_per_threadgroup(32)]]\nkernel void k(device uint *out [[buffer(0)]]${parameters}) {\n${body}\n}\n`;
const LANE = ", uint lane [[thread_index_in_simdgroup]]";

/** `{ name, bad, good, says }`: texts behind the <metal_stdlib> prologue. */
export const MISTAKES = [
  {
    name: "device memory passed as threadgroup memory",
    bad: `static uint first(threadgroup const uint *p) { return p[0]; }\n${kernel("out[1] = first(out);")}`,
    good: `static uint first(device const uint *p) { return p[0]; }\n${kernel("out[1] = first(out);")}`,
    says: /no matching function for call to 'first'/,
  },
  {
    name: "pointer parameter without an address space",
    bad: `static void set(uint *p) { *p = 1u; }\n${kernel("uint x = 0u; set(&x); out[0] = x;")}`,
    good: `static void set(thread uint *p) { *p = 1u; }\n${kernel("uint x = 0u; set(&x); out[0] = x;")}`,
    says: /explicit address space/,
  },
  {
    name: "reference parameter without an address space",
    bad: `static void set(uint &p) { p = 1u; }\n${kernel("uint x = 0u; set(x); out[0] = x;")}`,
    good: `static void set(thread uint &p) { p = 1u; }\n${kernel("uint x = 0u; set(x); out[0] = x;")}`,
    says: /explicit address space/,
  },
  {
    name: "local pointer without an address space",
    bad: kernel("uint x = 3u; uint *p = &x; out[0] = *p;"),
    good: kernel("uint x = 3u; thread uint *p = &x; out[0] = *p;"),
    says: /explicit address space/,
  },
  {
    name: "struct member pointer without an address space",
    bad: `struct View { uint *words; };\n${kernel("uint x = 1u; View v; v.words = &x; out[0] = *v.words;")}`,
    good: `struct View { thread uint *words; };\n${kernel("uint x = 1u; View v; v.words = &x; out[0] = *v.words;")}`,
    says: /explicit address space/,
  },
  {
    name: "template on the pointee, fed a device pointer",
    bad: `template <typename T>\nstatic uint first(T *p) { return uint(p[0]); }\n${kernel("out[0] = first<uint>(out);")}`,
    good: `template <typename P>\nstatic uint first(P p) { return uint(p[0]); }\n${kernel("out[0] = first(out);")}`,
    says: /explicit address space/,
  },
  {
    name: "cast from threadgroup to device memory",
    bad: kernel("threadgroup uint t[4];\nt[0] = 1u; device uint *p = (device uint *)t; out[0] = p[0];"),
    good: kernel(
      "threadgroup uint t[4];\nt[0] = 1u; threadgroup uchar *p = (threadgroup uchar *)t; out[0] = uint(p[0]);",
    ),
    says: /converts between mismatching address spaces/,
  },
  {
    name: "constant table passed as thread memory",
    bad: `constant constexpr uint kTable[2] = {1u, 2u};\nstatic uint second(thread const uint *p) { return p[1]; }\n${kernel("out[0] = second(kTable);")}`,
    good: `constant constexpr uint kTable[2] = {1u, 2u};\nstatic uint second(constant const uint *p) { return p[1]; }\n${kernel("out[0] = second(kTable);")}`,
    says: /no matching function for call to 'second'/,
  },
  {
    name: "table at program scope outside constant memory",
    bad: `constexpr uint kTable[2] = {1u, 2u};\n${kernel("out[0] = kTable[1];")}`,
    good: `constant constexpr uint kTable[2] = {1u, 2u};\n${kernel("out[0] = kTable[1];")}`,
    says: /constant memory/,
  },
  {
    name: "mutable variable at program scope",
    bad: `uint counter = 0u;\n${kernel("counter += 1u; out[0] = counter;")}`,
    good: kernel("uint counter = 0u; counter += 1u; out[0] = counter;"),
    says: /constant memory/,
  },
  {
    name: "static local",
    bad: kernel("static uint calls = 0u; calls += 1u; out[0] = calls;"),
    good: kernel("uint calls = 0u; calls += 1u; out[0] = calls;"),
    says: /static local|constant address space/,
  },
  {
    name: "threadgroup array in a helper",
    bad: `static uint share(uint lane) { threadgroup uint t[32];\nt[lane] = lane; return t[0]; }\n${kernel("out[lane] = share(lane);", LANE)}`,
    good: `static uint share(threadgroup uint *t, uint lane) { t[lane] = lane; return t[lane]; }\n${kernel("threadgroup uint t[32];\nout[lane] = share(t, lane);", LANE)}`,
    says: /cannot be declared in local address space/,
  },
  {
    name: "initialised threadgroup variable",
    bad: kernel("threadgroup uint t[2] = {0u, 0u};\nout[0] = t[0];"),
    good: kernel("threadgroup uint t[2];\nt[0] = 0u; out[0] = t[0];"),
    says: /initializ/,
  },
  {
    name: "bool in threadgroup memory",
    bad: kernel("threadgroup bool t[2];\nt[0] = true; out[0] = t[0] ? 1u : 0u;"),
    good: kernel("threadgroup uint t[2];\nt[0] = 1u; out[0] = t[0];"),
    says: /bool in threadgroup memory/,
  },
  {
    name: "bytes of threadgroup memory read as words",
    bad: kernel(
      "threadgroup uchar t[64];\nt[lane] = uchar(lane); out[lane] = ((threadgroup uint *)t)[0];",
      LANE,
    ),
    good: kernel(
      "threadgroup uint t[16];\n((threadgroup uchar *)t)[lane] = uchar(lane); out[lane] = t[0];",
      LANE,
    ),
    says: /read as wider words/,
  },
  {
    name: "write to constant memory",
    bad: kernel("n = 2u; out[0] = n;", ", constant uint &n [[buffer(1)]]"),
    good: kernel("out[0] = n;", ", constant uint &n [[buffer(1)]]"),
    says: /cannot assign|read-only|not assignable/,
  },
  {
    name: "write through a const device pointer",
    bad: kernel("in[0] = 1u; out[0] = in[0];", ", device const uint *in [[buffer(1)]]"),
    good: kernel("out[0] = in[0];", ", device const uint *in [[buffer(1)]]"),
    says: /cannot assign|read-only/,
  },
  {
    name: "recursion",
    bad: `static uint down(uint n) { return n == 0u ? 1u : down(n - 1u); }\n${kernel("out[0] = down(3u);")}`,
    good: `static uint down(uint n) { return n == 0u ? 1u : n - 1u; }\n${kernel("out[0] = down(3u);")}`,
    says: /recursion/,
  },
  {
    name: "recursion of two functions",
    bad: `static uint odd(uint n);\nstatic uint even(uint n) { return n == 0u ? 1u : odd(n - 1u); }\nstatic uint odd(uint n) { return n == 0u ? 0u : even(n - 1u); }\n${kernel("out[0] = even(4u);")}`,
    good: `static uint odd(uint n);\nstatic uint even(uint n) { return 1u - odd(n); }\nstatic uint odd(uint n) { return n & 1u; }\n${kernel("out[0] = even(4u);")}`,
    says: /recursion/,
  },
  {
    name: "double",
    bad: kernel("double d = 1.0f; out[0] = uint(d);"),
    good: kernel("float d = 1.0f; out[0] = uint(d);"),
    says: /msl_has_no_double/,
  },
  {
    name: "long long",
    bad: kernel("long long big = 1; out[0] = uint(big);"),
    good: kernel("ulong big = 1ul; out[0] = uint(big);"),
    says: /long long/,
  },
  {
    name: "another GPU language's function",
    bad: kernel("out[lane] = __shfl_sync(0xffffffffu, lane, 0);", LANE),
    good: kernel("out[lane] = simd_shuffle(lane, ushort(0));", LANE),
    says: /__shfl_sync/,
  },
  {
    name: "64-bit operand of a shuffle",
    bad: kernel("out[lane] = uint(simd_shuffle(ulong(lane), ushort(0)));", LANE),
    good: kernel("out[lane] = simd_shuffle(uint2(lane, 0u), ushort(0)).x;", LANE),
    says: /deleted function|ambiguous/,
  },
  {
    name: "bool operand of a shuffle",
    bad: kernel("simd_shuffle(lane > 3u, ushort(0)); out[lane] = lane;", LANE),
    good: kernel("out[lane] = simd_shuffle(lane > 3u ? 1u : 0u, ushort(0));", LANE),
    says: /deleted function|ambiguous/,
  },
  {
    name: "ballot taken for a number",
    bad: kernel("uint mask = simd_ballot(lane > 3u); out[lane] = mask;", LANE),
    good: kernel("uint mask = uint(simd_vote::vote_t(simd_ballot(lane > 3u))); out[lane] = mask;", LANE),
    says: /no viable conversion/,
  },
  {
    name: "min of two types",
    bad: kernel("ushort a = 3; out[lane] = min(a, lane);", LANE),
    good: kernel("ushort a = 3; out[lane] = min(uint(a), lane);", LANE),
    says: /ambiguous/,
  },
  {
    name: "SIMD operation in a conditional operand",
    bad: kernel("out[lane] = lane > 3u ? simd_shuffle(lane, ushort(0)) : 0u;", LANE),
    good: kernel(
      "const uint other = simd_shuffle(lane, ushort(0)); out[lane] = lane > 3u ? other : 0u;",
      LANE,
    ),
    says: /in an operand of/,
  },
  {
    name: "vote behind a short circuit, inside a helper",
    bad: `static bool agreed(uint lane) { return simd_any(lane == 9u); }\n${kernel("bool b = lane > 3u && agreed(lane); out[lane] = b ? 1u : 0u;", LANE)}`,
    good: `static bool agreed(uint lane) { return simd_any(lane == 9u); }\n${kernel("const bool any = agreed(lane); bool b = lane > 3u && any; out[lane] = b ? 1u : 0u;", LANE)}`,
    says: /in an operand of/,
  },
  {
    name: "SIMD operation in a switch",
    bad: kernel(
      "switch (lane & 1u) { case 0u: out[lane] = simd_sum(1u); break; default: out[lane] = 0u; }",
      LANE,
    ),
    good: kernel(
      "const uint sum = simd_sum(1u); if ((lane & 1u) == 0u) { out[lane] = sum; } else { out[lane] = 0u; }",
      LANE,
    ),
    says: /switch/,
  },
  {
    name: "barrier without flags",
    bad: kernel("threadgroup_barrier(); out[0] = 1u;"),
    good: kernel("threadgroup_barrier(mem_flags::mem_threadgroup); out[0] = 1u;"),
    says: /no matching function|too few arguments/,
  },
  {
    name: "atomic on a plain word",
    bad: kernel("atomic_fetch_min_explicit(&out[0], 1u, memory_order_relaxed);"),
    good: kernel(
      "atomic_fetch_min_explicit(&worst[0], 1u, memory_order_relaxed); out[0] = 1u;",
      ", device atomic_uint *worst [[buffer(1)]]",
    ),
    says: /no matching function/,
  },
  {
    name: "atomic order that Metal lacks",
    bad: kernel(
      "atomic_fetch_or_explicit(&worst[0], 1u, memory_order_acq_rel); out[0] = 1u;",
      ", device atomic_uint *worst [[buffer(1)]]",
    ),
    good: kernel(
      "atomic_fetch_or_explicit(&worst[0], 1u, memory_order_relaxed); out[0] = 1u;",
      ", device atomic_uint *worst [[buffer(1)]]",
    ),
    says: /relaxed/,
  },
  {
    name: "64-bit atomic",
    bad: kernel(
      "atomic_fetch_min_explicit(&worst[0], 1ul, memory_order_relaxed); out[0] = 1u;",
      ", device atomic_ulong *worst [[buffer(1)]]",
    ),
    good: kernel(
      "atomic_fetch_min_explicit(&worst[0], 1u, memory_order_relaxed); out[0] = 1u;",
      ", device atomic_uint *worst [[buffer(1)]]",
    ),
    says: /no matching function for call to .atomic_fetch_min/,
  },
  {
    name: "loop that only data ends",
    bad: kernel("uint i = 0u; while (true) { if (out[i] == 0u) break; i += 1u; } out[0] = i;"),
    good: kernel(
      "uint i = 0u; for (uint step = 0u; step < limit && out[i] != 0u; ++step) i += 1u; out[0] = i;",
      ", constant uint &limit [[buffer(1)]]",
    ),
    says: /counter/,
  },
  {
    name: "goto",
    bad: kernel("uint i = 0u;\nagain: i += 1u; if (i < 3u) goto again; out[0] = i;"),
    good: kernel("uint i = 0u; for (uint n = 0u; n < 3u; ++n) i += 1u; out[0] = i;"),
    says: /goto/,
  },
  {
    name: "lambda",
    bad: kernel("auto twice = [](uint x) { return 2u * x; }; out[0] = twice(2u);"),
    good: `static uint twice(uint x) { return 2u * x; }\n${kernel("out[0] = twice(2u);")}`,
    says: /lambda/,
  },
  {
    name: "if constexpr",
    bad: `template <uint N>\nstatic uint half_of() { if constexpr (N > 3u) return N / 2u; else return 0u; }\n${kernel("out[0] = half_of<4u>();")}`,
    good: `template <uint N>\nstatic uint half_of() { return N > 3u ? N / 2u : 0u; }\n${kernel("out[0] = half_of<4u>();")}`,
    says: /constexpr if/,
  },
  {
    name: "narrowing in braces",
    bad: kernel("ushort next{lane + 1u}; out[lane] = uint(next);", LANE),
    good: kernel("ushort next = ushort(lane + 1u); out[lane] = uint(next);", LANE),
    says: /narrow/,
  },
  {
    name: "array of run-time length",
    bad: kernel("uint a[n]; a[0] = 1u; out[0] = a[0];", ", constant uint &n [[buffer(1)]]"),
    good: kernel("uint a[4]; a[0] = n; out[0] = a[0];", ", constant uint &n [[buffer(1)]]"),
    says: /array size is not a constant/,
  },
  {
    name: "virtual and inheritance",
    bad: `struct Base { uint x; };\nstruct Next : Base { uint y; };\n${kernel("Next n; n.x = 1u; n.y = 2u; out[0] = n.x + n.y;")}`,
    good: `struct Next { uint x; uint y; };\n${kernel("Next n; n.x = 1u; n.y = 2u; out[0] = n.x + n.y;")}`,
    says: /inheritance/,
  },
  {
    name: "member function of a struct in device memory",
    bad: `struct Entry { uint x; uint get() const { return x; } };\n${kernel("out[0] = in[0].get();", ", device const Entry *in [[buffer(1)]]")}`,
    good: `struct Entry { uint x; };\n${kernel("out[0] = in[0].x;", ", device const Entry *in [[buffer(1)]]")}`,
    says: /free function|address space/,
  },
  {
    name: "parameter struct whose layout the host does not share",
    bad: `struct Shared { bool on; uint3 size; };\n${kernel("out[0] = p.on ? p.size.x : 0u;", ", constant Shared &p [[buffer(1)]]")}`,
    good: `struct Shared { uint on; uint size; };\n${kernel("out[0] = p.on != 0u ? p.size : 0u;", ", constant Shared &p [[buffer(1)]]")}`,
    says: /another size or alignment/,
  },
  {
    name: "buffer index bound twice",
    bad: kernel("out[0] = in[0];", ", device const uint *in [[buffer(0)]]"),
    good: kernel("out[0] = in[0];", ", device const uint *in [[buffer(1)]]"),
    says: /bound twice/,
  },
  {
    name: "kernel parameter by value, without an attribute",
    bad: kernel("out[0] = n;", ", uint n"),
    good: kernel("out[0] = n;", ", constant uint &n [[buffer(1)]]"),
    says: /no \[\[\.\.\.\]\] attribute/,
  },
  {
    name: "kernel that calls a kernel",
    bad: `${kernel("out[0] = 1u;").replace(" k(", " other(")}${kernel("other(out);")}`,
    good: `static void other(device uint *out) { out[0] = 1u; }\n${kernel("other(out);")}`,
    says: /calls a kernel/,
  },
];
