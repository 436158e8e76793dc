// Owns: the one list of damage reasons, with words for people; native code's list is generated from it.
// Must not know: where damage is found or shown.
import type { DamageReason } from "../types";

/** Reason codes in fixed order: native code numbers them 1, 2, 3 … (0 = undamaged). Append only. */
export const DAMAGE_REASONS: readonly { readonly code: DamageReason; readonly words: string }[] = [
  { code: "literal-length-overrun", words: "a literal length runs past the end of the block's stored bytes" },
  { code: "literals-past-stream", words: "a literal run is longer than the stored bytes left" },
  { code: "literals-past-block", words: "a literal run is longer than the room left in the block" },
  { code: "offset-truncated", words: "the stored bytes end inside a match offset" },
  { code: "offset-zero", words: "a match offset is zero" },
  { code: "offset-before-block", words: "a match reaches back before the start of the block" },
  { code: "match-length-overrun", words: "a match length runs past the end of the block's stored bytes" },
  { code: "match-past-block", words: "a match is longer than the room left in the block" },
  { code: "wrong-size", words: "the block decodes to fewer bytes than it must" },
  { code: "chunk-too-short", words: "the stored chunk is shorter than its header" },
  { code: "decoded-size-mismatch", words: "the chunk's header gives another size than the dataset's chunk" },
  { code: "block-size-invalid", words: "the chunk's header gives an impossible block size" },
  { code: "block-length-past-chunk", words: "a block's stored length reaches past the end of the chunk" },
  { code: "block-length-impossible", words: "a block's stored length is longer than any encoder makes it" },
  { code: "tail-truncated", words: "the raw elements behind the last block are cut" },
  { code: "checksum-mismatch", words: "the chunk's checksum does not match its bytes" },
  { code: "chunk-past-file", words: "the chunk lies past the end of the file" },
  { code: "raw-size-mismatch", words: "an unfiltered chunk has not exactly the chunk's size" },
  { code: "inflate-failed", words: "the deflate stream is damaged" },
];
