// Owns: tests of what is said about a path before HDF5 sees it.
// Must not know: datasets.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { MissingFileError, NotHdf5Error } from "#framelab/errors";
import { openAcquisition } from "#framelab/source/index";
import { temporaryFolder, writeDataFile } from "./source-fixtures";

const folder = temporaryFolder();
const good = path.join(folder, "good.h5");
writeDataFile(good, { frames: 3 });
const bytes = readFileSync(good);

function write(name: string, content: Uint8Array | string): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

type ErrorClass = typeof MissingFileError | typeof NotHdf5Error;

async function refused(file: string, kind: ErrorClass, message: RegExp): Promise<void> {
  await assert.rejects(openAcquisition(file), (error: Error & { todo?: string; place?: string }) => {
    assert.ok(error instanceof kind, `${error.name}: ${error.message}`);
    assert.match(error.message, message);
    assert.ok(error.message.includes(file), error.message);
    assert.equal(error.place, file);
    assert.ok(error.todo, "says what to do");
    return true;
  });
}

test("a path where nothing is, a folder, and a pipe are missing files, each in its own words", async () => {
  await refused(path.join(folder, "nothing.h5"), MissingFileError, /does not exist/);
  await refused(path.join(good, "below.h5"), MissingFileError, /does not exist/);
  await refused(path.join(folder, "x".repeat(300)), MissingFileError, /cannot be read \(ENAMETOOLONG\)/);
  mkdirSync(path.join(folder, "a folder.h5"));
  await refused(path.join(folder, "a folder.h5"), MissingFileError, /is a folder/);
  const pipe = path.join(folder, "pipe.h5");
  execFileSync("mkfifo", [pipe]);
  await refused(pipe, MissingFileError, /not a regular file/);
});

test("empty, text, zeros and other bytes are not HDF5, each in its own words", async () => {
  await refused(write("empty.h5", ""), NotHdf5Error, /is empty/);
  await refused(
    write("text.h5", "count,row,col\n1,2,3\n"),
    NotHdf5Error,
    /starts with the text "count,row,col/,
  );
  await refused(write("zeros.h5", new Uint8Array(4096)), NotHdf5Error, /starts with zeros only/);
  await refused(
    write("tiff.h5", Uint8Array.of(0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 1)),
    NotHdf5Error,
    /bytes 49492a00/,
  );
});

test("a file cut anywhere is named as cut, with both sizes", async () => {
  for (const left of [96, 200, 512, bytes.length - 1]) {
    await refused(
      write(`cut ${left}.h5`, bytes.subarray(0, left)),
      NotHdf5Error,
      new RegExp(`cut short: it has ${left} bytes and its superblock says ${bytes.length}`),
    );
  }
  await refused(write("cut 8.h5", bytes.subarray(0, 8)), NotHdf5Error, /HDF5 library cannot open it/);
});

test("a user block before the superblock and every superblock version open", async () => {
  for (const superblock of [0, 2, 3] as const) {
    for (const userBlock of [0, 512, 1024, 4096]) {
      for (const offsetBytes of [4, 8] as const) {
        const file = path.join(folder, `v${superblock} ${userBlock} ${offsetBytes}.h5`);
        writeDataFile(file, { frames: 3 }, { superblock, userBlock, offsetBytes });
        const { found, segments } = await openAcquisition(file);
        assert.equal(found, 3);
        assert.equal(segments[0]?.facts?.baseAddress, userBlock);
        assert.equal(segments[0]?.facts?.offsetBytes, offsetBytes);
      }
    }
  }
});

test("a read-only file in a read-only folder opens, and nothing is written beside it", async () => {
  const closed = path.join(folder, "read only");
  mkdirSync(closed);
  const file = path.join(closed, "good.h5");
  writeFileSync(file, bytes);
  chmodSync(file, 0o444);
  chmodSync(closed, 0o555);
  try {
    assert.equal((await openAcquisition(file)).found, 3);
    assert.deepEqual(readFileSync(file), bytes);
    assert.deepEqual(execFileSync("ls", ["-a", closed], { encoding: "utf8" }).split("\n").filter(Boolean), [
      ".",
      "..",
      "good.h5",
    ]);
  } finally {
    chmodSync(closed, 0o755);
  }
});

test("a pipe that takes a file's place while it is looked at is refused, and nobody waits for its writer", () => {
  const file = write("replaced.h5", bytes);
  const source = require.resolve("#framelab/source/index");
  const program = `const fs = require("fs");
    const { statSync } = fs;
    fs.statSync = (path, ...rest) => {
      const stat = statSync(path, ...rest);
      fs.statSync = statSync;
      fs.rmSync(path);
      require("child_process").execFileSync("mkfifo", [path]);
      return stat;
    };
    require(${JSON.stringify(source)}).openAcquisition(${JSON.stringify(file)}).catch((e) => console.log(e.message));`;
  const said = execFileSync(process.execPath, ["-e", program], { encoding: "utf8", timeout: 30_000 });
  assert.match(said, /not a regular file/);
});
