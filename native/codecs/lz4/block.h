// Owns: the bounded LZ4 block decoder: one fast loop, one careful path, the nine bounds, exit at the first
// refusal.
// Must not know: how bytes are copied on a processor (the Copy policy and its Sequences do), files, frames, bit
// planes.
//
// Why it is safe. The fast loop runs only while 18 bytes of this stream and 32 bytes of this block remain:
// the longest sequence without extensions (1 token, 14 literals, 2 offset bytes; 14 + 18 bytes decoded) then
// needs one check, that the offset lies in 1..produced. Everything else takes the careful path, which
// compares before it moves. Copies may write up to kBlockSlack bytes behind the block, so a block is decoded
// to scratch, never to a caller's memory.
#pragma once
#include "codecs/lz4/prefetch.h"
#include "core/bytes.h"
#include "core/reasons.h"

namespace framelab {

/** Writable bytes behind a block that copies may overwrite. */
constexpr std::size_t kBlockSlack = 192;

/** One LZ4 block: the stream and, not before `end`, the end of the memory that a wide load may touch. */
struct BlockStream {
  const std::uint8_t* begin;
  const std::uint8_t* end;
  const std::uint8_t* readable;
};

namespace {

constexpr unsigned kNibbleFull = 15;
constexpr unsigned kMinMatch = 4;
constexpr std::ptrdiff_t kFastStream = 18;
constexpr std::ptrdiff_t kFastBlock = 32;
/** Below this a block is decoded by the careful path alone. */
constexpr std::size_t kFastMinimum = 128;

/**
 * Decodes one block of exactly `size` bytes to `out`, which has kBlockSlack writable bytes behind it.
 * No byte outside the stream decides the verdict or reaches the block.
 */
template <class Copy, class Prefetch>
class BlockDecoder {
 public:
  BlockDecoder(BlockStream stream, std::uint8_t* out, std::size_t size, Prefetch ahead)
      : in_(stream.begin),
        in_end_(stream.end),
        readable_(stream.readable),
        out_(out),
        begin_(out),
        out_end_(out + size),
        ahead_(ahead) {}

  FRAMELAB_INLINE Reason run() {
    const bool roomy = static_cast<std::size_t>(out_end_ - begin_) >= kFastMinimum;
    const std::uint8_t* const in_fast = roomy && in_end_ - in_ >= kFastStream ? in_end_ - kFastStream : in_;
    const std::uint8_t* const out_fast = roomy ? out_end_ - kFastBlock : begin_;
    typename Copy::template Sequences<Copy> sequences;
    for (;;) {
      sequences.resume(out_, produced());
      while (FRAMELAB_LIKELY(in_ < in_fast && out_ <= out_fast)) {
        const unsigned token = *in_;
        const unsigned literals = token >> 4;
        if (FRAMELAB_UNLIKELY(literals == kNibbleFull)) break;
        ahead_.sequence();
        sequences.literals(out_, in_ + 1, literals);
        in_ += literals + 1;
        out_ += literals;
        const unsigned offset = load_le16(in_);
        in_ += 2;
        if (FRAMELAB_UNLIKELY(offset - 1 >= produced())) return bad_offset(offset);
        const unsigned nibble = token & kNibbleFull;
        if (FRAMELAB_UNLIKELY(nibble == kNibbleFull)) {
          const Reason reason = extended_match(offset);
          if (FRAMELAB_UNLIKELY(reason != Reason::ok)) return reason;
          sequences.resume(out_, produced());
          continue;
        }
        sequences.match(out_, offset, nibble + kMinMatch);
        out_ += nibble + kMinMatch;
      }
      if (in_ >= in_end_) break;
      const Reason reason = careful_sequence();
      if (FRAMELAB_UNLIKELY(reason != Reason::ok)) return reason;
      if (in_ == in_end_) break;
    }
    return out_ == out_end_ ? Reason::ok : Reason::wrong_size;
  }

 private:
  FRAMELAB_INLINE unsigned produced() const { return static_cast<unsigned>(out_ - begin_); }
  FRAMELAB_INLINE std::size_t stream_left() const { return static_cast<std::size_t>(in_end_ - in_); }
  FRAMELAB_INLINE std::size_t room() const { return static_cast<std::size_t>(out_end_ - out_); }

  static FRAMELAB_INLINE Reason bad_offset(unsigned offset) {
    return offset == 0 ? Reason::offset_zero : Reason::offset_before_block;
  }

  /** One sequence, each bound compared before anything moves. A stream may end after literals or after a
   * match. */
  FRAMELAB_INLINE Reason careful_sequence() {
    const unsigned token = *in_++;
    std::size_t literals = token >> 4;
    if (literals == kNibbleFull && !Copy::extend(in_, in_end_, literals))
      return Reason::literal_length_overrun;
    if (FRAMELAB_UNLIKELY(stream_left() < literals)) return Reason::literals_past_stream;
    if (FRAMELAB_UNLIKELY(room() < literals)) return Reason::literals_past_block;
    copy_literals(literals);
    if (in_ == in_end_) return Reason::ok;
    if (FRAMELAB_UNLIKELY(stream_left() < 2)) return Reason::offset_truncated;
    const unsigned offset = load_le16(in_);
    in_ += 2;
    // A block larger than 4 GiB does not exist, and an offset is at most 65535: 32 bits decide.
    if (FRAMELAB_UNLIKELY(offset - 1 >= produced())) return bad_offset(offset);
    const unsigned nibble = token & kNibbleFull;
    return nibble == kNibbleFull ? extended_match(offset) : match(offset, nibble + kMinMatch);
  }

  FRAMELAB_INLINE void copy_literals(std::size_t count) {
    if (FRAMELAB_LIKELY(count + Copy::kLiteralStep <= static_cast<std::size_t>(readable_ - in_))) {
      Copy::literals(out_, in_, count);
    } else {
      std::memcpy(out_, in_, count);
    }
    in_ += count;
    out_ += count;
  }

  FRAMELAB_INLINE Reason extended_match(unsigned offset) {
    std::size_t length = kNibbleFull;
    if (!Copy::extend(in_, in_end_, length)) return Reason::match_length_overrun;
    return match(offset, length + kMinMatch);
  }

  FRAMELAB_INLINE Reason match(unsigned offset, std::size_t length) {
    if (FRAMELAB_UNLIKELY(room() < length)) return Reason::match_past_block;
    Copy::match(out_, offset, length, ahead_);
    out_ += length;
    return Reason::ok;
  }

  const std::uint8_t* in_;
  const std::uint8_t* const in_end_;
  const std::uint8_t* const readable_;
  std::uint8_t* out_;
  std::uint8_t* const begin_;
  std::uint8_t* const out_end_;
  Prefetch ahead_;
};

}  // namespace
}  // namespace framelab
