// Owns: the superblock (format specification 3.0, II.A): where the file's addresses start and how wide they are.
// Must not know: groups, datasets, what the rest of the file holds.
import { NotHdf5Error } from "../../errors";
import { metadataChecksum } from "./checksum";
import type { MetadataFile } from "./metadata-file";

/** What every other structure needs to be read. */
export interface Superblock {
  readonly version: number;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  /** Absolute offset that all addresses count from: where the superblock lies, behind a user block if there is one. */
  readonly baseAddress: number;
}

const SIGNATURE = Buffer.from("\x89HDF\r\n\x1a\n", "latin1");
/** Widths that HDF5 itself can be asked to write and that fit an address into 64 bits. */
const WIDTHS = [2, 4, 8];

/**
 * Finds and reads the superblock. It lies at byte 0, 512, 1024, 2048, … (II.A); HDF5 takes the place where it was
 * found as base address, whatever the stored base says, so that a user block may be added or cut off.
 */
export function readSuperblock(file: MetadataFile): Superblock {
  for (let at = 0; at + 48 <= file.fileBytes; at = at === 0 ? 512 : at * 2) {
    const block = file.readUpTo(at, 128, "superblock");
    if (block.subarray(0, 8).equals(SIGNATURE)) return parse(file, block, at);
  }
  return refuse(file, null, "the HDF5 signature at byte 0, 512, 1024, …", "no signature");
}

function parse(file: MetadataFile, block: Buffer, at: number): Superblock {
  const version = block[8]!;
  if (version > 3) refuse(file, at, "superblock version 0 to 3", `version ${version}`);
  // Versions 0 and 1 hold the widths at bytes 13 and 14, versions 2 and 3 at 9 and 10.
  const widthsAt = version < 2 ? 13 : 9;
  const offsetBytes = block[widthsAt]!;
  const lengthBytes = block[widthsAt + 1]!;
  if (!WIDTHS.includes(offsetBytes) || !WIDTHS.includes(lengthBytes)) {
    refuse(file, at, "offsets and lengths of 2, 4 or 8 bytes", `${offsetBytes} and ${lengthBytes}`);
  }
  if (version >= 2) {
    const end = 12 + 4 * offsetBytes;
    if (end + 4 > block.length || block.readUInt32LE(end) !== metadataChecksum(block, 0, end)) {
      refuse(file, at, "a superblock that fits its checksum", "another checksum");
    }
  }
  return { version, offsetBytes, lengthBytes, baseAddress: at };
}

function refuse(file: MetadataFile, at: number | null, expected: string, got: string): never {
  const where = at === null ? "" : ` at byte ${at}`;
  throw new NotHdf5Error(
    `${file.place}: the superblock${where} cannot be read: expected ${expected}, got ${got}.`,
    {
      place: file.place,
      expected,
      got,
      todo: "Check the path, and copy the file again if it was cut.",
    },
  );
}
