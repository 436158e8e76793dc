// Owns: bounded positional reads of one file's metadata, and the error for metadata that cannot be what it says.
// Must not know: what any structure means.
import { readSync } from "node:fs";
import { BackendError, UnsupportedLayoutError } from "../../errors";
import { metadataChecksum } from "./checksum";

/** No structure that FrameLab reads in one piece is larger: chunk index nodes are kilobytes. */
const MAX_BLOCK_BYTES = 32 * 2 ** 20;
/** One question (a header, a range of a chunk index) never reads more: 2^22 chunks need less. */
const MAX_TOTAL_BYTES = 2 ** 30;

const COPY_AGAIN =
  "Copy the file again from where it was recorded; h5dump -p -H shows what HDF5 itself reads of it.";

/** Reads blocks of metadata at absolute file offsets. Every length is compared with the file's before it is used. */
export class MetadataFile {
  private total = 0;

  constructor(
    private readonly fd: number,
    readonly fileBytes: number,
    /** "file: dataset", for messages. */
    readonly place: string,
  ) {}

  /** `length` bytes at `address`, all inside the file. `what` names the structure in messages. */
  read(address: number, length: number, what: string): Buffer {
    if (!Number.isSafeInteger(address) || address < 0 || length > this.fileBytes - address) {
      this.refuse(
        what,
        address,
        `${length} bytes inside the file's ${this.fileBytes}`,
        "an end past the file",
      );
    }
    if (length > MAX_BLOCK_BYTES) {
      this.refuse(what, address, `at most ${MAX_BLOCK_BYTES} bytes`, `${length} bytes`);
    }
    this.total += length;
    if (this.total > MAX_TOTAL_BYTES) {
      this.refuse(what, address, `at most ${MAX_TOTAL_BYTES} bytes of metadata`, "more");
    }
    const block = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const got = this.readAt(block, filled, address + filled, what);
      if (got === 0)
        this.refuse(what, address, `${length} bytes`, `${filled} bytes: the file was cut meanwhile`);
      filled += got;
    }
    return block;
  }

  /** At most `length` bytes at `address`: fewer where the file ends. */
  readUpTo(address: number, length: number, what: string): Buffer {
    return this.read(address, Math.max(0, Math.min(length, this.fileBytes - address)), what);
  }

  /** A block that starts with a signature of four letters. */
  readSigned(address: number, length: number, signature: string, what: string): Buffer {
    const block = this.read(address, length, what);
    this.checkSignature(block, signature, address, what);
    return block;
  }

  /** A block with a signature that ends with the checksum of all bytes before. */
  readChecked(address: number, length: number, signature: string, what: string): Buffer {
    const block = this.readSigned(address, length, signature, what);
    this.checkSum(block, address, what);
    return block;
  }

  checkSignature(block: Buffer, signature: string, address: number, what: string): void {
    const got = block.toString("latin1", 0, 4);
    if (got !== signature) this.refuse(what, address, `signature "${signature}"`, JSON.stringify(got));
  }

  /** The last four bytes of `block` are the checksum of the others. */
  checkSum(block: Buffer, address: number, what: string): void {
    const end = block.length - 4;
    const stored = block.readUInt32LE(end);
    const computed = metadataChecksum(block, 0, end);
    if (stored !== computed) {
      this.refuse(what, address, `checksum 0x${stored.toString(16)} as stored`, `0x${computed.toString(16)}`);
    }
  }

  /** Throws: the structure `what` at byte `address` is damaged or of a kind that FrameLab does not read. */
  refuse(
    what: string,
    address: number | null,
    expected: string,
    got: string,
    todo: string = COPY_AGAIN,
  ): never {
    const where = address === null ? what : `${what} at byte ${address}`;
    throw new UnsupportedLayoutError(
      `${this.place}: the ${where} cannot be read: expected ${expected}, got ${got}.`,
      {
        place: this.place,
        expected,
        got,
        todo,
      },
    );
  }

  private readAt(block: Buffer, offset: number, position: number, what: string): number {
    try {
      return readSync(this.fd, block, offset, block.length - offset, position);
    } catch (cause) {
      throw new BackendError(
        `${this.place}: reading the ${what} at byte ${position} failed: ${String(cause)}.`,
        {
          place: this.place,
          cause,
        },
      );
    }
  }
}
