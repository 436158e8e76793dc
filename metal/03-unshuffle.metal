// Owns: bit planes back to elements: whole rounds of 1,024 elements by one SIMD group, and groups of 8 elements.
// Must not know: LZ4, block tables, which memory the planes lie in.

// Bits of `b` and `a` change places where the mask is 0 and 1: a's upper fields for b's lower ones, `shift` bits apart.
static inline void exchange_bits(thread uint &a, thread uint &b, uint mask, uint shift) {
    const uint low = (a & mask) | ((b << shift) & ~mask);
    const uint high = ((a >> shift) & mask) | (b & ~mask);
    a = low;
    b = high;
}

// One level of a bit transpose: rows `distance` apart of every group of 2 * distance rows.
template <uint Rows, uint Distance>
static inline void exchange_rows(thread uint *a, uint mask) {
#pragma unroll
    for (uint i = 0u; i < Rows; ++i) {
        if ((i & Distance) == 0u) exchange_bits(a[i], a[i + Distance], mask, Distance);
    }
}

// Row r, byte b holds element 8 b + r afterwards.
static inline void transpose_8_planes(thread uint *a) {
    exchange_rows<8u, 4u>(a, 0x0f0f0f0fu);
    exchange_rows<8u, 2u>(a, 0x33333333u);
    exchange_rows<8u, 1u>(a, 0x55555555u);
}

// Rows in element order afterwards, 4 elements a row.
static inline void order_bytes(thread uint *a) {
    uint o[8];
#pragma unroll
    for (uint h = 0u; h < 2u; ++h) {
        uint b0 = a[4u * h], b1 = a[4u * h + 1u], b2 = a[4u * h + 2u], b3 = a[4u * h + 3u];
        exchange_bits(b0, b1, 0x00ff00ffu, 8u);
        exchange_bits(b2, b3, 0x00ff00ffu, 8u);
        exchange_bits(b0, b2, 0x0000ffffu, 16u);
        exchange_bits(b1, b3, 0x0000ffffu, 16u);
        o[h] = b0;
        o[2u + h] = b1;
        o[4u + h] = b2;
        o[6u + h] = b3;
    }
#pragma unroll
    for (uint i = 0u; i < 8u; ++i) a[i] = o[i];
}

// Rows in element order afterwards, 2 elements a row.
static inline void transpose_16_planes(thread uint *a) {
    exchange_rows<16u, 8u>(a, 0x00ff00ffu);
    exchange_rows<16u, 4u>(a, 0x0f0f0f0fu);
    exchange_rows<16u, 2u>(a, 0x33333333u);
    exchange_rows<16u, 1u>(a, 0x55555555u);
    uint o[16];
#pragma unroll
    for (uint i = 0u; i < 8u; ++i) {
        o[i] = (a[2u * i] & 0xffffu) | (a[2u * i + 1u] << 16);
        o[8u + i] = (a[2u * i] >> 16) | (a[2u * i + 1u] & 0xffff0000u);
    }
#pragma unroll
    for (uint i = 0u; i < 16u; ++i) a[i] = o[i];
}

// Rows in element order afterwards, 1 element a row.
static inline void transpose_32_planes(thread uint *a) {
    exchange_rows<32u, 16u>(a, 0x0000ffffu);
    exchange_rows<32u, 8u>(a, 0x00ff00ffu);
    exchange_rows<32u, 4u>(a, 0x0f0f0f0fu);
    exchange_rows<32u, 2u>(a, 0x33333333u);
    exchange_rows<32u, 1u>(a, 0x55555555u);
}

// 16 bytes of output. Frames whose size is no multiple of 16 bytes begin at any element: `quads` is false for them.
static inline void store_quad_u8(device uchar *to, uint4 value, bool quads) {
    if (quads) {
        *(device uint4 *)to = value;
        return;
    }
    for (uint i = 0u; i < 4u; ++i) {
        to[i] = uchar(value.x >> (8u * i));
        to[4u + i] = uchar(value.y >> (8u * i));
        to[8u + i] = uchar(value.z >> (8u * i));
        to[12u + i] = uchar(value.w >> (8u * i));
    }
}

static inline void store_quad_u16(device uchar *to, uint4 value, bool quads) {
    if (quads) {
        *(device uint4 *)to = value;
        return;
    }
    device ushort *elements = (device ushort *)to;
    for (uint i = 0u; i < 2u; ++i) {
        elements[i] = ushort(value.x >> (16u * i));
        elements[2u + i] = ushort(value.y >> (16u * i));
        elements[4u + i] = ushort(value.z >> (16u * i));
        elements[6u + i] = ushort(value.w >> (16u * i));
    }
}

static inline void store_quad_u32(device uchar *to, uint4 value, bool quads) {
    if (quads) {
        *(device uint4 *)to = value;
        return;
    }
    device uint *elements = (device uint *)to;
    elements[0] = value.x;
    elements[1] = value.y;
    elements[2] = value.z;
    elements[3] = value.w;
}

// The unshuffles below take `bytes` bytes of planes, whole rounds of 1,024 elements, one plane word a lane. Before the
// transpose, neighbouring lanes exchange bytes so that each 16-byte store of the SIMD group fills whole sectors. Planes
// 8 and up that are zero for all 1,024 elements are seen by a vote and skipped.

template <typename Words>
static inline void unshuffle_u8(Words planes, uint bytes, device uchar *output, bool quads, uint lane) {
    const uint stride = bytes / 32u;
    const uint keep = (lane & 1u) == 0u ? 0x0000ffffu : 0xffff0000u;
    for (uint first = 0u; first < stride; first += kLanes) {
        uint a[8];
#pragma unroll
        for (uint p = 0u; p < 8u; ++p) {
            a[p] = planes[p * stride + first + lane];
            a[p] = (a[p] & keep) | (rotate(simd_shuffle_xor(a[p], ushort(1)), 16u) & ~keep);
        }
        transpose_8_planes(a);
        order_bytes(a);
        device uchar *to = output + 16u * ((first + (lane & ~1u)) * 2u + (lane & 1u));
        store_quad_u8(to, uint4(a[0], a[1], a[2], a[3]), quads);
        store_quad_u8(to + 32u, uint4(a[4], a[5], a[6], a[7]), quads);
    }
}

// Byte q of the plane words of a quad's four lanes to lane q: a 4 x 4 byte transpose.
static inline uint exchange_in_quad(uint word, uint lane) {
    const bool odd = (lane & 1u) != 0u;
    const uint keep = odd ? 0xff00ff00u : 0x00ff00ffu;
    const uint pair = (word & keep) | (rotate(simd_shuffle_xor(word, ushort(1)), odd ? 24u : 8u) & ~keep);
    const uint half_keep = (lane & 2u) == 0u ? 0x0000ffffu : 0xffff0000u;
    return (pair & half_keep) | (rotate(simd_shuffle_xor(pair, ushort(2)), 16u) & ~half_keep);
}

template <typename Words>
static inline void unshuffle_u16(Words planes, uint bytes, device uchar *output, bool quads, uint lane) {
    const uint stride = bytes / 64u;
    for (uint first = 0u; first < stride; first += kLanes) {
        uint a[16];
        uint upper = 0u;
#pragma unroll
        for (uint p = 0u; p < 16u; ++p) {
            a[p] = planes[p * stride + first + lane];
            upper |= p < 8u ? 0u : a[p];
        }
        const bool small = !simd_any(upper != 0u);
#pragma unroll
        for (uint p = 0u; p < 8u; ++p) a[p] = exchange_in_quad(a[p], lane);
        if (small) {
            transpose_8_planes(a);
            order_bytes(a);
#pragma unroll
            for (uint i = 8u; i > 0u; --i) {
                const uint four = a[i - 1u];
                a[2u * i - 1u] = ((four >> 16) & 0xffu) | ((four >> 8) & 0x00ff0000u);
                a[2u * i - 2u] = (four & 0xffu) | ((four << 8) & 0x00ff0000u);
            }
        } else {
#pragma unroll
            for (uint p = 8u; p < 16u; ++p) a[p] = exchange_in_quad(a[p], lane);
            transpose_16_planes(a);
        }
        device uchar *to = output + 16u * ((first + (lane & ~3u)) * 4u + (lane & 3u));
#pragma unroll
        for (uint i = 0u; i < 4u; ++i) {
            store_quad_u16(to + 64u * i, uint4(a[4u * i], a[4u * i + 1u], a[4u * i + 2u], a[4u * i + 3u]), quads);
        }
    }
}

template <typename Words>
static inline void unshuffle_u32(Words planes, uint bytes, device uchar *output, bool quads, uint lane) {
    const uint stride = bytes / 128u;
    const bool odd = (lane & 1u) != 0u;
    for (uint first = 0u; first < stride; first += kLanes) {
        uint a[32];
        uint upper = 0u;
#pragma unroll
        for (uint p = 0u; p < 32u; ++p) {
            a[p] = planes[p * stride + first + lane];
            upper |= p < 8u ? 0u : a[p];
        }
        if (!simd_any(upper != 0u)) {
            transpose_8_planes(a);
            uint rows[8];
#pragma unroll
            for (uint i = 0u; i < 8u; ++i) rows[i] = a[i];
#pragma unroll
            for (uint i = 0u; i < 32u; ++i) a[i] = (rows[i & 7u] >> (i & 24u)) & 0xffu;
        } else {
            transpose_32_planes(a);
        }
        // A pair of lanes swaps quads so that one store of both covers 32 bytes.
        device uchar *to = output + 16u * ((first + (lane & ~1u)) * 8u + (lane & 1u));
#pragma unroll
        for (uint q = 0u; q < 8u; q += 2u) {
            uint got[4];
#pragma unroll
            for (uint i = 0u; i < 4u; ++i) {
                const uint give = odd ? a[4u * q + i] : a[4u * q + 4u + i];
                got[i] = simd_shuffle_xor(give, ushort(1));
            }
            const uint4 swapped = uint4(got[0], got[1], got[2], got[3]);
            const uint4 even_quad = uint4(a[4u * q], a[4u * q + 1u], a[4u * q + 2u], a[4u * q + 3u]);
            const uint4 odd_quad = uint4(a[4u * q + 4u], a[4u * q + 5u], a[4u * q + 6u], a[4u * q + 7u]);
            store_quad_u32(to + 16u * q, odd ? swapped : even_quad, quads);
            store_quad_u32(to + 16u * q + 128u, odd ? odd_quad : swapped, quads);
        }
    }
}

// 8 elements of a block of any number of elements that is a multiple of 8: byte `index` of each of its planes.
template <typename Element, typename Bytes>
static inline void unshuffle_eight(Bytes planes, uint stride, uint index, device Element *to) {
    uint elements[8] = {0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u};
#pragma unroll
    for (uint b = 0u; b < uint(sizeof(Element)); ++b) {
        uint low = 0u, high = 0u;
#pragma unroll
        for (uint p = 0u; p < 4u; ++p) {
            low |= uint(planes[(8u * b + p) * stride + index]) << (8u * p);
            high |= uint(planes[(8u * b + p + 4u) * stride + index]) << (8u * p);
        }
        // 8 x 8 bits: byte p bit e of the pair to byte e bit p.
        uint turn = (low ^ (low >> 7)) & 0x00aa00aau;
        low = low ^ turn ^ (turn << 7);
        turn = (high ^ (high >> 7)) & 0x00aa00aau;
        high = high ^ turn ^ (turn << 7);
        turn = (low ^ (low >> 14)) & 0x0000ccccu;
        low = low ^ turn ^ (turn << 14);
        turn = (high ^ (high >> 14)) & 0x0000ccccu;
        high = high ^ turn ^ (turn << 14);
        const uint first = (low & 0x0f0f0f0fu) | ((high << 4) & 0xf0f0f0f0u);
        const uint second = ((low >> 4) & 0x0f0f0f0fu) | (high & 0xf0f0f0f0u);
#pragma unroll
        for (uint e = 0u; e < 4u; ++e) {
            elements[e] |= ((first >> (8u * e)) & 0xffu) << (8u * b);
            elements[e + 4u] |= ((second >> (8u * e)) & 0xffu) << (8u * b);
        }
    }
#pragma unroll
    for (uint e = 0u; e < 8u; ++e) to[8u * index + e] = Element(elements[e]);
}
