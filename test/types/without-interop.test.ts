// Owns: the package's declarations in a project without `esModuleInterop`: frames are still ndarrays.
// Must not know: how the package works.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import ts from "typescript";

const SCRIPT = `import { load, reduce, virtualImage, disk, type Frames } from "framelab";
export async function first(path: string): Promise<number> {
  const frames: Frames = await load(path);
  const { bf } = await reduce(path, { bf: virtualImage(disk({ center: [1, 1], radius: 1 })) });
  const scan = await load(path, { representation: "encoded" });
  return frames.get(0, 0, 0, 0) + frames.pick(0, 0).shape[0] + bf.get(0, 0) + (await scan.frame(0)).get(0, 0);
}
`;

test("frames, results and single frames have their ndarray members", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "framelab-interop-")));
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(resolve(__dirname, "../../.."), join(folder, "node_modules", "framelab"), "junction");
    const script = join(folder, "script.ts");
    writeFileSync(script, SCRIPT);
    const program = ts.createProgram([script], {
      target: ts.ScriptTarget.ES2021,
      module: ts.ModuleKind.CommonJS,
      moduleResolution: ts.ModuleResolutionKind.Node10,
      esModuleInterop: false,
      strict: true,
      noEmit: true,
      types: [],
    });
    const found = ts.getPreEmitDiagnostics(program);
    assert.deepEqual(
      found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
      [],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
