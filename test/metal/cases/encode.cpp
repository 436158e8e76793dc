// Owns: the encoders of encode.h.
// Must not know: kernels, batches, what makes a stream bad.
#include "encode.h"

#include <algorithm>
#include <cstring>

namespace cases {
namespace {

void put_length(Bytes &stream, size_t beyond) {
    for (; beyond >= 255; beyond -= 255) stream.push_back(255);
    stream.push_back(uint8_t(beyond));
}

uint32_t word_at(const uint8_t *p) {
    uint32_t w;
    memcpy(&w, p, 4);
    return w;
}

}  // namespace

void put_sequence(Bytes &stream, const uint8_t *literals, size_t literal_count, size_t offset, size_t match) {
    const size_t beyond_four = match == 0 ? 0 : match - 4;
    stream.push_back(uint8_t(std::min<size_t>(literal_count, 15) << 4 | std::min<size_t>(beyond_four, 15)));
    if (literal_count >= 15) put_length(stream, literal_count - 15);
    stream.insert(stream.end(), literals, literals + literal_count);
    if (match == 0) return;
    stream.push_back(uint8_t(offset));
    stream.push_back(uint8_t(offset >> 8));
    if (beyond_four >= 15) put_length(stream, beyond_four - 15);
}

Bytes encode_block(const uint8_t *in, size_t bytes) {
    Bytes stream;
    std::vector<int64_t> last_seen(1 << 13, -1);
    size_t literal_start = 0;
    const size_t match_start_limit = bytes >= 13 ? bytes - 12 : 0;
    const size_t match_end_limit = bytes >= 5 ? bytes - 5 : 0;
    for (size_t at = 0; at < match_start_limit;) {
        int64_t &seen = last_seen[word_at(in + at) * 2654435761u >> 19];
        const int64_t candidate = seen;
        seen = int64_t(at);
        if (candidate < 0 || at - size_t(candidate) > 65535 || word_at(in + candidate) != word_at(in + at)) {
            ++at;
            continue;
        }
        size_t from = size_t(candidate);
        size_t begin = at;
        while (begin > literal_start && from > 0 && in[begin - 1] == in[from - 1]) --begin, --from;
        size_t end = at + 4;
        while (end < match_end_limit && in[end] == in[end - (begin - from)]) ++end;
        put_sequence(stream, in + literal_start, begin - literal_start, begin - from, end - begin);
        if (end >= 2 && end - 2 < match_start_limit) last_seen[word_at(in + end - 2) * 2654435761u >> 19] = int64_t(end - 2);
        literal_start = at = end;
    }
    put_sequence(stream, in + literal_start, bytes - literal_start, 0, 0);
    return stream;
}

Bytes random_stream(std::mt19937 &random, size_t bytes) {
    Bytes stream, literals;
    size_t done = 0;
    for (;;) {
        const size_t left = bytes - done;
        const bool last = left < 24 || random() % 400 == 0;
        size_t count = random() % 3 == 0 ? 0 : random() % 8 == 0 ? random() % 400 : random() % 20;
        if (done == 0) count = std::max<size_t>(count, 1);
        count = last ? left : std::min(count, left - 8);
        size_t match = 4 + (random() % 6 == 0 ? random() % 900 : random() % 24);
        match = last ? 0 : std::min(match, left - count);
        literals.resize(count);
        for (uint8_t &b : literals) b = uint8_t(random());
        done += count;
        size_t offset = 1 + (random() % 3 == 0 ? random() % std::min<size_t>(done, 9) : random() % done);
        if (random() % 5 == 0) offset = std::min<size_t>(done, 1 + random() % 200);
        put_sequence(stream, literals.data(), count, offset, match);
        done += match;
        if (last || done == bytes) return stream;
    }
}

}  // namespace cases
