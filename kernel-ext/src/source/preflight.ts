// Owns: what can be said about a path before HDF5 sees it: absent, a folder, empty, text, cut short, HDF5.
// Must not know: datasets, links, h5wasm. Reads at most a few kilobytes.
import fs from "node:fs";
import path from "node:path";
import { MissingFileError, NotHdf5Error } from "../errors";
import { READ_AT_ONCE } from "./open-file";

const SIGNATURE = Buffer.from("\x89HDF\r\n\x1a\n", "latin1");
/** The superblock starts at 0, 512, 1024, … : a user block's size is a power of two. */
const FIRST_USER_BLOCK = 512;
/** Bytes of the longest superblock part that is read: version 0 and 1 up to the end-of-file address. */
const SUPERBLOCK_BYTES = 96;

/** Superblock version 3 has consistency flags at byte 11: open for writing (1), for reading meanwhile (4). */
const FLAGGED_VERSION = 3;
const FLAGS_AT = 11;
const WRITE_FLAGS = 5;

/** A path that exists and looks like HDF5. */
export interface CheckedFile {
  /** Absolute path as asked for (symbolic links kept). */
  readonly path: string;
  readonly bytes: number;
  /** Its superblock says that a writer has it open, or died before it closed it. */
  readonly isBeingWritten: boolean;
}

/**
 * Checks that a path is a regular, non-empty file with an HDF5 signature whose superblock promises no more bytes than
 * there are.
 *
 * @throws MissingFileError when nothing is there, it is a folder or not a regular file, or it cannot be read;
 * NotHdf5Error when it is empty, something else than HDF5, or cut short.
 */
export function checkFile(file: string): CheckedFile {
  const absolute = path.resolve(file);
  let fd: number | null = null;
  try {
    // Before: opening a device may do something. And again: it may have been replaced since.
    requireRegular(absolute, fs.statSync(absolute));
    fd = fs.openSync(absolute, READ_AT_ONCE);
    const stat = fs.fstatSync(fd);
    requireRegular(absolute, stat);
    const isBeingWritten = checkBytes(fd, absolute, stat.size);
    return { path: absolute, bytes: stat.size, isBeingWritten };
  } catch (error) {
    throw translate(absolute, error);
  } finally {
    if (fd !== null) fs.closeSync(fd);
  }
}

function requireRegular(file: string, stat: fs.Stats): void {
  if (stat.isDirectory()) throw folder(file);
  if (!stat.isFile()) throw notRegular(file);
}

/** Checks the start of a file; true where its consistency flags are set. */
function checkBytes(fd: number, file: string, bytes: number): boolean {
  if (bytes === 0) {
    throw new NotHdf5Error(`${file} is empty (0 bytes).`, {
      place: file,
      expected: "an HDF5 file",
      got: "0 bytes",
      todo: "It was never written or its copy failed: copy it again from its source.",
    });
  }
  const base = findSignature(fd, bytes);
  if (base === null) {
    throw new NotHdf5Error(`${file} is not an HDF5 file: ${describeStart(fd, bytes)}.`, {
      place: file,
      expected: "the HDF5 signature at byte 0, 512, 1024, …",
      got: describeStart(fd, bytes),
      todo: "Open the *_master.h5 file of the acquisition.",
    });
  }
  const head = readAt(fd, base, SUPERBLOCK_BYTES);
  const promised = promisedBytes(head, base);
  if (promised !== null && promised > bytes) {
    throw new NotHdf5Error(
      `${file} is cut short: it has ${bytes} bytes and its superblock says ${promised}.`,
      {
        place: file,
        expected: `${promised} bytes`,
        got: `${bytes} bytes`,
        todo: "Its copy was interrupted or it is still being written: copy it again from its source.",
      },
    );
  }
  return head[8] === FLAGGED_VERSION && ((head[FLAGS_AT] ?? 0) & WRITE_FLAGS) !== 0;
}

/** Byte offset of the HDF5 signature, or null. */
function findSignature(fd: number, bytes: number): number | null {
  for (let at = 0; at + SIGNATURE.length <= bytes; at = at === 0 ? FIRST_USER_BLOCK : at * 2) {
    if (readAt(fd, at, SIGNATURE.length).equals(SIGNATURE)) return at;
  }
  return null;
}

/** File size that the superblock records, or null where it says nothing that can be understood. */
function promisedBytes(head: Buffer, base: number): number | null {
  const version = head[8] ?? 255;
  // Version 0: widths at 13, base address at 24 and two addresses on, the end of file; version 1 has 4 bytes more.
  // Versions 2 and 3: widths at 9, base address at 12 and two addresses on, the end of file.
  const old = version < 2;
  const offsetBytes = head[old ? 13 : 9] ?? 0;
  if (version > 3 || (offsetBytes !== 4 && offsetBytes !== 8)) return null;
  const at = old ? 24 + 4 * version : 12;
  const baseStored = addressAt(head, at, offsetBytes);
  const end = addressAt(head, at + 2 * offsetBytes, offsetBytes);
  // HDF5 moves both with the superblock where a user block was added or cut off after writing.
  return baseStored === null || end === null ? null : end - baseStored + base;
}

/** An address of the superblock; null where it is undefined (all ones) or past every file size. */
function addressAt(head: Buffer, at: number, width: number): number | null {
  if (at + width > head.length) return null;
  const address = width === 8 ? Number(head.readBigUInt64LE(at)) : head.readUInt32LE(at);
  const isUndefined = width === 4 && address === 0xffffffff;
  return Number.isSafeInteger(address) && !isUndefined ? address : null;
}

function describeStart(fd: number, bytes: number): string {
  const start = readAt(fd, 0, Math.min(bytes, 64));
  const isText = start.every(
    (byte) => byte === 9 || byte === 10 || byte === 13 || (byte >= 32 && byte !== 127),
  );
  if (isText) return `it starts with the text ${JSON.stringify(start.toString("utf8").slice(0, 24))}`;
  if (start.every((byte) => byte === 0)) return "it starts with zeros only";
  return `it starts with the bytes ${start.subarray(0, 8).toString("hex")}`;
}

function readAt(fd: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  return buffer.subarray(0, fs.readSync(fd, buffer, 0, bytes, at));
}

function folder(file: string): MissingFileError {
  return new MissingFileError(`${file} is a folder, not a file.`, {
    place: file,
    expected: "a file",
    got: "a folder",
    todo: "Give the path of the *_master.h5 file in it.",
  });
}

function notRegular(file: string): MissingFileError {
  return new MissingFileError(`${file} is not a regular file (a pipe, socket or device).`, {
    place: file,
    expected: "a regular file",
    got: "a pipe, socket or device",
    todo: "Copy the data into a file first.",
  });
}

function translate(file: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (error instanceof MissingFileError || error instanceof NotHdf5Error) return error;
  const absent = code === "ENOENT" || code === "ENOTDIR";
  return new MissingFileError(
    absent ? `${file} does not exist.` : `${file} cannot be read (${code ?? "unknown"}).`,
    {
      place: file,
      expected: "a readable file",
      got: code ?? String(error),
      todo: absent
        ? `Check the path; relative paths count from ${process.cwd()}.`
        : "Check the name and the permissions of the file and its folders.",
      cause: error,
    },
  );
}
