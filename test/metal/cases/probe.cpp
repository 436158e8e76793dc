// Owns: the answers of probe.h, computed lane by lane.
// Must not know: decoders.
#include "probe.h"

namespace cases {
namespace {

constexpr uint32_t kWords = 12;

uint32_t seed_of(uint32_t lane) { return lane * 2654435761u + 12345u; }

// Byte `at` of the shared array in which lane l wrote seed, seed + 1, seed + 2, seed + 3.
uint32_t shared_word(uint32_t at) { return seed_of(at / 4) + at % 4; }

uint32_t answer(uint32_t lane, uint32_t word) {
    const uint32_t seed = seed_of(lane);
    const uint32_t shift = lane % 4 * 8;
    uint32_t sum = 0;
    switch (word) {
        case 0: return 32;
        case 1: return seed_of((lane * 7 + 3) % 32);
        case 2: return seed_of(lane ^ 1) ^ seed_of(lane ^ 2);
        case 3: return seed_of(31);
        case 4:
            for (uint32_t l = 0; l < 32; ++l) sum |= (seed_of(l) >> 2 & 1) << l;
            return sum;
        case 5: return 1;
        case 6:
            for (uint32_t l = 0; l <= lane; ++l) sum += seed_of(l) % 1024;
            return sum;
        case 7:
            return uint32_t(__builtin_popcount(seed)) << 16 | uint32_t(__builtin_clz(seed | 1)) << 8 |
                   uint32_t(__builtin_ctz(seed | 0x80000000u));
        case 8: return uint32_t((uint64_t(~seed) << 32 | seed) >> shift);
        case 9: return shift == 0 ? seed : seed << shift | seed >> (32 - shift);
        case 10: return shared_word((lane * 5 + 2) % 128);
        default: {
            const uint32_t byte = (lane * 11 + 1) % 512;
            return shared_word(byte / 4) >> (byte % 4 * 8) & 255;
        }
    }
}

}  // namespace

std::string probe_difference(Machine &machine) {
    uint32_t got[32 * kWords];
    uint32_t counters[3] = {UINT32_MAX, 0, 0};
    void *results = machine.allocate(sizeof got);
    void *shared = machine.allocate(sizeof counters);
    machine.fill(results, 0xA5, sizeof got);
    machine.upload(shared, counters, sizeof counters);
    machine.run("probe_simd", {results, shared}, nullptr, 1);
    machine.download(got, results, sizeof got);
    machine.download(counters, shared, sizeof counters);
    machine.release(results);
    machine.release(shared);
    uint32_t lowest = UINT32_MAX, highest = 0;
    for (uint32_t lane = 0; lane < 32; ++lane) {
        lowest = seed_of(lane) < lowest ? seed_of(lane) : lowest;
        highest = seed_of(lane) > highest ? seed_of(lane) : highest;
        for (uint32_t word = 0; word < kWords; ++word)
            if (got[lane * kWords + word] != answer(lane, word))
                return "lane " + std::to_string(lane) + ", answer " + std::to_string(word);
    }
    if (counters[0] != lowest || counters[1] != highest || counters[2] != UINT32_MAX) return "atomics";
    return "";
}

}  // namespace cases
