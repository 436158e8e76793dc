// Owns: the known-answer kernel of the self-test: every SIMD operation and integer rule that the decoders rely on.
// Must not know: LZ4, blocks.

// 32 lanes, one threadgroup. `results` gets 12 words a lane, `counters` 3 words (initially 0xffffffff, 0, 0).
[[max_total_threads_per_threadgroup(32)]]
kernel void probe_simd(device uint *results [[buffer(0)]], device atomic_uint *counters [[buffer(1)]],
                       uint lane [[thread_index_in_simdgroup]], uint width [[threads_per_simdgroup]]) {
    threadgroup uint4 shared[kLanes];
    const uint seed = lane * 2654435761u + 12345u;
    device uint *own = results + 12u * lane;
    own[0] = width;
    own[1] = simd_shuffle(seed, ushort((lane * 7u + 3u) & 31u));
    own[2] = simd_shuffle_xor(seed, ushort(1)) ^ simd_shuffle_xor(seed, ushort(2));
    own[3] = simd_broadcast(seed, ushort(31));
    own[4] = lanes_where((seed & 4u) != 0u);
    own[5] = (simd_any(lane == 17u) ? 1u : 0u) | (simd_any(lane > 40u) ? 2u : 0u);
    own[6] = simd_prefix_inclusive_sum(seed & 1023u);
    own[7] = (popcount(seed) << 16) | (clz(seed | 1u) << 8) | ctz(seed | 0x80000000u);
    own[8] = bytes_across(seed, ~seed, (lane & 3u) * 8u);
    own[9] = rotate(seed, (lane & 3u) * 8u);
    shared[lane] = uint4(seed, seed + 1u, seed + 2u, seed + 3u);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    own[10] = ((threadgroup const uint *)shared)[(lane * 5u + 2u) & 127u];
    own[11] = uint(((threadgroup const uchar *)shared)[(lane * 11u + 1u) & 511u]);
    atomic_fetch_min_explicit(&counters[0], seed, memory_order_relaxed);
    atomic_fetch_max_explicit(&counters[1], seed, memory_order_relaxed);
    atomic_fetch_or_explicit(&counters[2], 1u << lane, memory_order_relaxed);
}
