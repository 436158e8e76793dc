// Owns: the list of filters that FrameLab decodes, and the names of those that it knows and refuses.
// Must not know: how filters work.
import { bitshuffle } from "./bitshuffle";
import { deflate } from "./deflate";
import type { Filter } from "./filter";
import { fletcher32 } from "./fletcher32";
import { lz4 } from "./lz4";
import { shuffle } from "./shuffle";

/** One folder and one line a filter. */
export const FILTERS: readonly Filter[] = [deflate, shuffle, fletcher32, lz4, bitshuffle];

/** Names of registered filters that are refused, so that the message can say more than a number. */
const REFUSED_NAMES: ReadonlyMap<number, string> = new Map([
  [4, "SZIP"],
  [5, "N-bit"],
  [6, "scale-offset"],
  [305, "LZO"],
  [307, "BZIP2"],
  [32000, "LZF"],
  [32001, "Blosc"],
  [32002, "MAFISC"],
  [32003, "Snappy"],
  [32005, "APAX"],
  [32006, "CBF"],
  [32007, "JPEG XR"],
  [32009, "SPDP"],
  [32010, "LPC-Rice"],
  [32011, "CCSDS-123"],
  [32012, "JPEG-LS"],
  [32013, "zfp"],
  [32014, "fpzip"],
  [32015, "Zstandard"],
  [32016, "B3D"],
  [32017, "SZ"],
  [32018, "FCIDECOMP"],
  [32019, "JPEG"],
  [32020, "VBZ"],
  [32021, "FAPEC"],
  [32022, "BitGroom"],
  [32023, "Granular BitRound"],
  [32024, "SZ3"],
  [32025, "Delta-Rice"],
  [32026, "Blosc2"],
  [32027, "FLAC"],
  [32028, "SPERR"],
  [32029, "TERSE/PROLIX"],
  [32030, "FFMPEG"],
]);

export function findFilter(id: number): Filter | undefined {
  return FILTERS.find((filter) => filter.id === id);
}

/** The best name for a filter: ours, the registered one, the one in the file, or none. */
export function filterName(id: number, nameInFile: string): string {
  return (findFilter(id)?.name ?? REFUSED_NAMES.get(id) ?? nameInFile) || "unnamed";
}
