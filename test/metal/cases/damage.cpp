// Owns: the damaged streams of damage.h.
// Must not know: kernels, batches.
#include "damage.h"

#include <algorithm>

namespace cases {
namespace {

// A stream under construction that has decoded to `done` bytes.
struct Maker {
    Bytes stream;
    size_t done = 0;
    Maker &literals_then_match(size_t literals, size_t offset, size_t match) {
        const Bytes bytes(literals, uint8_t(0x40 + done % 64));
        put_sequence(stream, bytes.data(), literals, offset, match);
        done += literals + match;
        return *this;
    }
    Maker &last(size_t literals) { return literals_then_match(literals, 0, 0); }
    Maker &raw(std::initializer_list<int> bytes) {
        for (int b : bytes) stream.push_back(uint8_t(b));
        return *this;
    }
};

void add_good(std::vector<BoundCase> &cases, size_t room) {
    cases.push_back({"ends after literals", kGood, Maker().literals_then_match(4, 2, room - 8).last(4).stream});
    cases.push_back({"ends after a match", kGood, Maker().literals_then_match(4, 4, room - 4).stream});
    cases.push_back({"ends with an empty sequence", kGood, Maker().literals_then_match(4, 1, room - 4).raw({0}).stream});
    cases.push_back({"all literals", kGood, Maker().last(room).stream});
    Maker far;
    far.literals_then_match(room - 20, room - 20, 6).last(14);
    cases.push_back({"reaches the block's first byte", kGood, far.stream});
    cases.push_back({"fills the block with 3-byte sequences", kGood, [room] {
                         Maker m;
                         m.literals_then_match(8, 3, 4);
                         while (m.done + 4 <= room) m.literals_then_match(0, 5, 4);
                         return (m.done == room ? m : m.last(room - m.done)).stream;
                     }()});
}

void add_lengths(std::vector<BoundCase> &cases, size_t room, const Maker &start, const std::string &where) {
    const size_t left = room - start.done;
    auto add = [&](const char *name, Bound bound, Maker m) { cases.push_back({name + where, bound, m.stream}); };
    add("literal length ends with the stream", kLiteralLengthOverrun, Maker(start).raw({0xf0}));
    add("literal length of 0xff ends with the stream", kLiteralLengthOverrun, Maker(start).raw({0xf0, 255, 255}));
    add("literals one byte past the stream", kLiteralsPastStream, Maker(start).raw({0x50, 1, 2, 3, 4}));
    add("literals far past the stream", kLiteralsPastStream, Maker(start).raw({0xf0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 40}));
    add("literals one byte past the block", kLiteralsPastBlock, Maker(start).last(left + 1));
    add("long literals past the block", kLiteralsPastBlock, Maker(start).last(left + 700));
    add("offset cut after one byte", kOffsetTruncated, Maker(start).raw({0x10, 9, 1}));
    add("match length ends with the stream", kMatchLengthOverrun, Maker(start).raw({0x1f, 9, 1, 0}));
    add("match length of 0xff ends with the stream", kMatchLengthOverrun, Maker(start).raw({0x1f, 9, 1, 0, 255, 255, 255}));
    add("match one byte past the block", kMatchPastBlock, Maker(start).literals_then_match(4, 2, left - 3));
    add("match far past the block", kMatchPastBlock, Maker(start).literals_then_match(4, 3, 10219));
    add("match past the block, then more", kMatchPastBlock, Maker(start).literals_then_match(4, 40 % start.done + 1, left + 9).last(9));
}

}  // namespace

std::vector<BoundCase> bound_cases(size_t room) {
    std::vector<BoundCase> cases;
    add_good(cases, room);
    Maker early;
    early.literals_then_match(4, 4, 4);
    Maker late;
    late.literals_then_match(20, 7, room / 2 - 20);
    add_lengths(cases, room, early, ", early");
    add_lengths(cases, room, late, ", late");
    auto add = [&](const char *name, Bound bound, const Maker &m) { cases.push_back({name, bound, m.stream}); };
    add("offset 0 first", kOffsetZero, Maker().literals_then_match(4, 0, 6).last(room - 10));
    add("offset 0 late", kOffsetZero, Maker(late).literals_then_match(0, 0, 40).last(room - late.done - 40));
    add("offset one byte before the block", kOffsetBeforeBlock, Maker().literals_then_match(4, 5, 6).last(room - 10));
    add("offset before the block, no literals", kOffsetBeforeBlock, Maker().literals_then_match(0, 1, 6).last(room - 6));
    add("offset far before the block", kOffsetBeforeBlock, Maker(late).literals_then_match(3, 65535, 60).last(room - late.done - 63));
    add("empty stream", kWrongSize, Maker());
    add("a lone empty sequence", kWrongSize, Maker().raw({0}));
    add("one byte short", kWrongSize, Maker(late).last(room - late.done - 1));
    add("one byte short, after a match", kWrongSize, Maker().literals_then_match(4, 4, room - 5));
    return cases;
}

const char *damage_name(DamageKind kind) {
    constexpr const char *names[] = {"zeroed", "random", "second half zeroed", "over-long"};
    return names[int(kind)];
}

Bytes damaged(const Bytes &stream, DamageKind kind, std::mt19937 &random) {
    Bytes out = stream;
    if (kind == DamageKind::zeroed) std::fill(out.begin(), out.end(), 0);
    if (kind == DamageKind::random)
        for (uint8_t &b : out) b = uint8_t(random());
    if (kind == DamageKind::second_half_zeroed) std::fill(out.begin() + ptrdiff_t(out.size() / 2), out.end(), 0);
    if (kind == DamageKind::over_long) {
        Bytes head;
        const uint8_t literal = 7;
        put_sequence(head, &literal, 1, 1, 10219);
        out.resize(std::max(out.size(), head.size()));
        std::copy(head.begin(), head.end(), out.begin());
    }
    return out;
}

// Where the sequences of a stream begin, as far as it is well formed.
static std::vector<size_t> sequence_starts(const Bytes &stream) {
    std::vector<size_t> starts;
    size_t at = 0;
    auto length = [&](size_t first) {
        size_t sum = first;
        for (uint8_t more = 255; first == 15 && more == 255 && at < stream.size(); ++at) sum += more = stream[at];
        return sum;
    };
    while (at < stream.size()) {
        starts.push_back(at);
        const uint8_t token = stream[at++];
        const size_t literals = length(token >> 4);
        if (stream.size() - at < 2 || literals > stream.size() - at - 2) break;
        at += literals + 2;
        length(token & 15);
    }
    return starts;
}

// Cuts a stream before one of its sequences and ends it there within a literal length or within an offset: random
// changes alone hardly ever make these two.
static void end_within(Bytes &stream, bool literal_length, std::mt19937 &random) {
    const std::vector<size_t> starts = sequence_starts(stream);
    stream.resize(starts[random() % starts.size()]);
    if (literal_length) {
        stream.push_back(uint8_t(0xf0 | random() % 16));
        stream.insert(stream.end(), random() % 4, 255);
    } else {
        stream.push_back(uint8_t(0x10 | random() % 16));
        for (int i = 0; i < 2; ++i) stream.push_back(uint8_t(random()));
    }
}

void mutate(Bytes &stream, std::mt19937 &random) {
    const size_t n = stream.size();
    const unsigned kind = random() % 9;
    if (n == 0) return;
    if (kind == 8) return end_within(stream, random() % 2 == 0, random);
    if (kind < 5) {
        for (unsigned i = 1 + random() % 3; i > 0; --i) {
            const size_t at = random() % (kind == 0 ? std::min<size_t>(16, n) : n);
            const unsigned value = random() % 4;
            stream[at] = value == 0 ? 0 : value == 1 ? 255 : uint8_t(random());
        }
    } else if (kind == 5) {
        stream.resize(n - 1 - random() % std::min<size_t>(n, 40));
    } else if (kind == 6) {
        for (unsigned i = 3 + random() % 9; i > 0; --i) stream.push_back(random() % 3 != 0 ? uint8_t(random()) : 255);
    } else {
        stream.insert(stream.begin() + ptrdiff_t(random() % n), 1 + random() % 60, 255);
    }
}

}  // namespace cases
