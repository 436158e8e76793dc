// Owns: rules of the native tree that a compiler does not check.
// Must not know: what the code does.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";

const ROOT = resolve(__dirname, "../../..");
const NATIVE = join(ROOT, "native");

function sources(): string[] {
  return readdirSync(NATIVE, { recursive: true })
    .map((name) => String(name).replaceAll("\\", "/"))
    .filter((name) => /\.(cc|h|mm)$/.test(name) && !name.startsWith("build/"));
}

describe("native sources", () => {
  it("number the damage reasons as the TypeScript list does", async () => {
    const script = pathToFileURL(join(ROOT, "scripts", "generate-codes.mjs")).href;
    const { reasonsHeader, TARGET } = (await import(script)) as { reasonsHeader(): string; TARGET: string };
    assert.equal(readFileSync(TARGET, "utf8"), reasonsHeader(), "run node scripts/generate-codes.mjs");
  });

  it("see Node-API in addon/ alone", () => {
    const seen = sources().filter((name) =>
      /#include <(napi|node_api|uv|v8|node)/.test(readFileSync(join(NATIVE, name), "utf8")),
    );
    assert.ok(seen.length > 0);
    assert.deepEqual(
      seen.filter((name) => !name.startsWith("addon/")),
      [],
    );
  });

  it("are all compiled into the addon, or belong to the fuzzer", () => {
    const gyp = readFileSync(join(NATIVE, "binding.gyp"), "utf8");
    const units = sources().filter((name) => /\.(cc|mm)$/.test(name) && !name.startsWith("fuzz/"));
    assert.deepEqual(
      units.filter((name) => !gyp.includes(`"${name}"`)),
      [],
    );
  });

  it("open with what they own and what they must not know, and stay short", () => {
    for (const name of sources()) {
      const lines = readFileSync(join(NATIVE, name), "utf8").split("\n");
      assert.match(lines[0]!, /^\/\/ Owns: /, name);
      assert.match(lines.slice(1, 3).join(" "), /Must not know: /, name);
      assert.ok(lines.length <= 300, `${name} has ${lines.length} lines`);
    }
  });

  const objects = join(NATIVE, "build", "Release", "obj.target");
  const canList = existsSync(objects) && spawnSync("nm", ["--version"]).status === 0;
  it("export nothing from an instruction set's library but its kernels", {
    skip: !canList && "no build, or no nm",
  }, () => {
    const libraries = readdirSync(objects).filter((name) => /^framelab_(avx|sse|neon).*\.a$/.test(name));
    assert.ok(libraries.length > 0);
    for (const library of libraries) {
      // A weak or global function could be taken by the linker for code that runs on every processor.
      const symbols = execFileSync("nm", ["-C", "--defined-only", join(objects, library)], {
        encoding: "utf8",
      });
      const shared = symbols
        .split("\n")
        .filter((line) => / [TWVBDu] /.test(line) && !/\bDW\.ref\./.test(line));
      assert.deepEqual(
        shared.filter((line) => !/framelab::k\w+Kernels$/.test(line)),
        [],
        library,
      );
    }
  });
});
