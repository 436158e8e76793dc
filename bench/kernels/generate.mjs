// Owns: writing every form of the kernels as CUDA under build/metal/cuda, for a machine that may have no Node.
// Must not know: what the forms differ in, how they are timed.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateCuda } from "../../scripts/metal-generate.mjs";
import { metalFiles, metalSource } from "../../scripts/metal-source.mjs";
import { FORMS, formText } from "./forms.mjs";

const OUT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "build", "metal", "cuda");

mkdirSync(OUT, { recursive: true });
for (const form of FORMS) {
  const text = metalSource(formText(form, metalFiles()));
  writeFileSync(join(OUT, `${form.name}.cu`), generateCuda(text, { form: form.name, only: form.only }));
  writeFileSync(join(OUT, `${form.name}.metal`), text);
}
console.log(`${FORMS.length} forms in ${OUT}`);
