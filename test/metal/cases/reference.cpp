// Owns: the judge of reference.h. Short before fast.
// Must not know: kernels, batches.
#include "reference.h"

namespace cases {
namespace {

struct Stream {
    const uint8_t *bytes;
    size_t left;
    uint8_t take() {
        --left;
        return *bytes++;
    }
};

// Adds the bytes of a length extension. False when one lies past the end of the stream.
bool extend(Stream &s, size_t &length) {
    for (;;) {
        if (s.left == 0) return false;
        const uint8_t more = s.take();
        length += more;
        if (more != 255) return true;
    }
}

}  // namespace

Bound decode_block(const uint8_t *stream, size_t bytes, size_t room, Bytes &out) {
    Stream s{stream, bytes};
    out.clear();
    while (s.left > 0) {
        const uint8_t token = s.take();
        size_t literals = token >> 4;
        if (literals == 15 && !extend(s, literals)) return kLiteralLengthOverrun;
        if (literals > s.left) return kLiteralsPastStream;
        if (literals > room - out.size()) return kLiteralsPastBlock;
        for (size_t i = 0; i < literals; ++i) out.push_back(s.take());
        if (s.left == 0) break;
        if (s.left < 2) return kOffsetTruncated;
        const size_t low = s.take();
        const size_t offset = low | size_t(s.take()) << 8;
        if (offset == 0) return kOffsetZero;
        if (offset > out.size()) return kOffsetBeforeBlock;
        size_t length = token & 15;
        if (length == 15 && !extend(s, length)) return kMatchLengthOverrun;
        length += 4;
        if (length > room - out.size()) return kMatchPastBlock;
        for (size_t i = 0; i < length; ++i) out.push_back(out[out.size() - offset]);
    }
    return out.size() == room ? kGood : kWrongSize;
}

Bytes unshuffle_bits(const Bytes &planes, size_t element_bytes) {
    const size_t elements = planes.size() / element_bytes;
    Bytes out(planes.size(), 0);
    for (size_t e = 0; e < elements; ++e)
        for (size_t bit = 0; bit < 8 * element_bytes; ++bit)
            if (planes[bit * (elements / 8) + e / 8] >> (e % 8) & 1)
                out[e * element_bytes + bit / 8] |= uint8_t(1u << (bit % 8));
    return out;
}

Bytes shuffle_bits(const uint8_t *in, size_t bytes, size_t element_bytes) {
    const size_t elements = bytes / element_bytes;
    Bytes out(bytes, 0);
    for (size_t e = 0; e < elements; ++e)
        for (size_t bit = 0; bit < 8 * element_bytes; ++bit)
            if (in[e * element_bytes + bit / 8] >> (bit % 8) & 1)
                out[bit * (elements / 8) + e / 8] |= uint8_t(1u << (e % 8));
    return out;
}

}  // namespace cases
