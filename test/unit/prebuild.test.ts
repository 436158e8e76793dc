// Owns: what a carried binary must be: of its target, within the library floor, loading and decoding.
// Must not know: how a release is packed.
import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";

interface Prebuild {
  readonly TARGETS: readonly string[];
  targetOf(bytes: Buffer): string | null;
  aboveFloor(bytes: Buffer, floor?: Record<string, string>): string[];
  loadTest(path: string): string;
  missingBinaries(folder: string): string[];
}

const ROOT = resolve(__dirname, "../../..");
const BUILT = join(ROOT, "native", "build", "Release", "framelab.node");
const TARGET = `${process.platform}-${process.arch}`;
const script = import(pathToFileURL(join(ROOT, "scripts", "prebuild.mjs")).href) as Promise<Prebuild>;
const noBinary = !existsSync(BUILT) && "no compiler here";

describe("carried binaries", () => {
  const work = mkdtempSync(join(tmpdir(), "framelab-prebuild-"));
  after(() => rmSync(work, { recursive: true, force: true }));

  it("are told apart by their headers", async () => {
    const { targetOf } = await script;
    // Magic, then the machine: ELF e_machine at byte 18, Mach-O cputype at byte 4 (elf.h, mach/machine.h).
    const header = (magic: string, at: number, machine: number[]): Buffer => {
      const bytes = Buffer.alloc(64);
      bytes.write(magic, "hex");
      Buffer.from(machine).copy(bytes, at);
      return bytes;
    };
    assert.equal(targetOf(header("7f454c46", 18, [62, 0])), "linux-x64");
    assert.equal(targetOf(header("7f454c46", 18, [183, 0])), "linux-arm64");
    assert.equal(targetOf(header("cffaedfe", 4, [7, 0, 0, 1])), "darwin-x64");
    assert.equal(targetOf(header("cffaedfe", 4, [12, 0, 0, 1])), "darwin-arm64");
    assert.equal(targetOf(header("7f454c46", 18, [8, 0])), null);
    assert.equal(targetOf(Buffer.from("no binary")), null);
  });

  it("may not ask for newer libraries than the floor's", async () => {
    const { aboveFloor } = await script;
    const bytes = Buffer.from("\0GLIBC_2.9\0GLIBC_2.34\0GLIBCXX_3.4.30\0CXXABI_1.3\0GLIBC_2.2.5\0", "latin1");
    const floor = { GLIBC: "2.31", GLIBCXX: "3.4.28", CXXABI: "1.3.12" };
    assert.deepEqual(aboveFloor(bytes, floor), ["GLIBCXX_3.4.30", "GLIBC_2.34"]);
    assert.deepEqual(aboveFloor(bytes, { GLIBC: "2.34", GLIBCXX: "3.4.30", CXXABI: "1.3" }), []);
  });

  it("load and decode in a fresh process", { skip: noBinary }, async () => {
    const { loadTest } = await script;
    assert.match(loadTest(BUILT), /portable/);
  });

  it("are refused when they are not what they should be", { skip: noBinary }, async () => {
    const { loadTest, missingBinaries, TARGETS } = await script;
    const broken = join(work, "broken.node");
    writeFileSync(broken, readFileSync(BUILT).subarray(0, 4096));
    assert.throws(() => loadTest(broken));
    assert.deepEqual(
      missingBinaries(work),
      TARGETS.map((target) => `${target}: no binary`),
    );
    for (const target of TARGETS) {
      mkdirSync(join(work, target));
      copyFileSync(BUILT, join(work, target, "framelab.node"));
    }
    assert.deepEqual(
      missingBinaries(work),
      TARGETS.filter((target) => target !== TARGET).map((target) => `${target}: its binary is for ${TARGET}`),
    );
  });
});
