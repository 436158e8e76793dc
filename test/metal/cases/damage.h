// Owns: damaged streams: one that breaks each bound and nothing else before it, the realistic kinds, and mutations.
// Must not know: kernels, batches.
#pragma once
#include <string>

#include "encode.h"

namespace cases {

struct BoundCase {
    std::string name;
    Bound breaks;  // kGood: the nearest stream that must pass
    Bytes stream;
};
// For a block of `room` bytes (at least 64): every bound at least twice, first and late in the block, and good streams
// beside them: ends after a match, an empty last sequence, the largest offset.
std::vector<BoundCase> bound_cases(size_t room);

enum class DamageKind { zeroed, random, second_half_zeroed, over_long };
constexpr DamageKind kDamageKinds[] = {DamageKind::zeroed, DamageKind::random, DamageKind::second_half_zeroed,
                                       DamageKind::over_long};
const char *damage_name(DamageKind kind);
Bytes damaged(const Bytes &stream, DamageKind kind, std::mt19937 &random);

// Changes, cuts or lengthens a stream in place; may leave it valid.
void mutate(Bytes &stream, std::mt19937 &random);

}  // namespace cases
