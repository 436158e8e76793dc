// Owns: the program that times what the Metal host does on the CPU: native/backends/metal itself, over a device.
// Must not know: what its figures mean.
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { metalSourceCpp } from "../../scripts/metal-source.mjs";
import { root } from "../../scripts/run-step.mjs";
import { buildFolder } from "../harness/folders.mjs";
import { formsOf, HOST, link, PROGRAM, written } from "./metal.mjs";

const METAL = join(root, "native", "backends", "metal");
const RELEASE = join(root, "native", "build", "Release");

/** The addon's own static libraries without Metal, wherever this platform's build leaves them. */
function libraries() {
  const folders = [RELEASE, join(RELEASE, "obj.target")].filter(existsSync);
  const named = folders.map((folder) =>
    readdirSync(folder)
      .filter((file) => /^framelab_(?!metal).*\.a$/.test(file))
      .map((file) => join(folder, file)),
  );
  const found = named.find((list) => list.length > 0);
  if (!found) throw new Error("the addon is not built: npm run build says why");
  return found;
}

/** Builds it. `{ program, form }`: `form` is its last argument. @throws with what the compiler says. */
export async function buildMetalHost(here) {
  // Of its own: the forms' program compiles other texts.
  const folder = buildFolder("metal", "host");
  mkdirSync(folder, { recursive: true });
  const forms = formsOf(["shipped"], folder);
  // The addon's libraries are compiled so.
  const cpp = (source) => ({ source, flags: ["-fno-rtti"] });
  const units = [
    {
      source: join(root, "bench", "kernels", "host.cc"),
      flags: here.simulated ? ["-DFRAMELAB_STAND_IN", `-I${HOST}`] : [],
    },
    cpp(written(join(folder, "kernel-text.cc"), metalSourceCpp())),
    ...readdirSync(METAL)
      .filter((name) => name.endsWith(".cc"))
      .map((name) => cpp(join(METAL, name))),
    ...PROGRAM.filter(({ source }) => !/\/(metal\.cc|rotation\.cpp)$/.test(source)),
  ];
  // Named twice: the libraries need each other.
  const named = [...libraries(), ...libraries()];
  const program = await link(here, { name: "metal-host", units, forms, libraries: named }, folder);
  return { program, form: `${forms[0].name}=${forms[0].path}` };
}
