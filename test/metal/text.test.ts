// Owns: what must hold of the Metal text and its tools without any compiler: rules, kernel list, forms, planted bugs.
// Must not know: what the kernels compute (npm run metal:ladder).
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const ROOT = join(__dirname, "..", "..", "..");
const load = (path: string) => import(pathToFileURL(join(ROOT, path)).href);

interface SourceFile {
  readonly name: string;
  readonly text: string;
}

test("the Metal text keeps the rules of its lint", async () => {
  const { metalSource } = await load("scripts/metal-source.mjs");
  const { lintText } = await load("scripts/metal-lint-text.mjs");
  assert.deepEqual(lintText(metalSource(), "metal"), []);
});

test("the lint of the text complains of a loop that only data ends", async () => {
  const { lintText } = await load("scripts/metal-lint-text.mjs");
  const bad = "kernel void k(device uint *out [[buffer(0)]]) { while (out[0] != 0u) out[0] -= 1u; }";
  assert.equal(lintText(bad, "bad").length > 0, true);
});

test("metal/README.md and the host list exactly the kernels of the text", async () => {
  const { metalSource } = await load("scripts/metal-source.mjs");
  const { kernels } = await load("scripts/metal-signatures.mjs");
  const found = kernels(metalSource()) as { name: string; threads: number }[];
  const readme = readFileSync(join(ROOT, "metal", "README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| ((?:`\w+`,? ?)+)\|/gm)].flatMap(([, cell]) => {
    const names = [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
    const stem = names[0]!.replace(/_u8$/, "");
    return names.map((name) => (name.startsWith("_u") ? stem + name : name));
  });
  assert.deepEqual(rows.sort(), found.map(({ name }) => name).sort());
  const host = readFileSync(join(ROOT, "native", "backends", "metal", "pipelines.mm"), "utf8");
  const listed = [...host.matchAll(/\{"(\w+)", (\d+)\}/g)].map(([, name, threads]) => `${name} ${threads}`);
  assert.deepEqual(listed.sort(), found.map(({ name, threads }) => `${name} ${threads}`).sort());
});

test("every bound of both parses is named at its line", async () => {
  const { metalFiles } = await load("scripts/metal-source.mjs");
  for (const name of ["04-uniform.metal", "05-windowed.metal"]) {
    const { text } = (metalFiles() as SourceFile[]).find((file) => file.name === name)!;
    const named = new Set(
      [...text.matchAll(/\/\/ bounds? ([\d, and]+)/g)].flatMap(([, list]) => list!.match(/\d/g)!),
    );
    assert.deepEqual([...named].sort(), ["1", "2", "3", "4", "5", "6", "7", "8", "9"], name);
  }
});

test("the addon embeds the text of metal/ and no other", async () => {
  const { metalSource, metalSourceCpp } = await load("scripts/metal-source.mjs");
  const literals = [...(metalSourceCpp() as string).matchAll(/R"MSL\(([\s\S]*?)\)MSL"/g)];
  assert.equal(literals.map(([, text]) => text).join(""), metalSource());
  const native = join(ROOT, "native");
  const sources = readdirSync(native, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(cc|mm|h)$/.test(name) && !name.startsWith("build"))
    .map((name) => ({ name, text: readFileSync(join(native, name), "utf8") }));
  const naming = (what: RegExp) => sources.filter(({ text }) => what.test(text)).map(({ name }) => name);
  const host = join("backends", "metal");
  assert.deepEqual(naming(/newLibraryWith|newDefaultLibrary/), [join(host, "pipelines.mm")]);
  assert.deepEqual(naming(/Device::open\(/).sort(), [join(host, "device.mm"), join(host, "runtime.cc")]);
  assert.deepEqual(naming(/Device::open\(kKernelText,/), [join(host, "runtime.cc")]);
  // The bench's way to other texts.
  assert.deepEqual(naming(/open_beside/).sort(), [join(host, "device.h"), join(host, "device.mm")]);
});

test("the bench's forms and the planted bugs still find their places in the text", async () => {
  const { metalFiles, metalSource } = await load("scripts/metal-source.mjs");
  const { FORMS, formText } = await load("bench/kernels/forms.mjs");
  for (const form of FORMS as { name: string }[]) {
    const text = metalSource(formText(form, metalFiles()));
    assert.equal(text === metalSource(), form.name === "shipped", form.name);
  }
  const { BUGS } = await load("test/metal/simt/planted-bugs.mjs");
  for (const { name, from } of BUGS as { name: string; from: string }[])
    assert.equal(metalSource().split(from).length, 2, name);
});
