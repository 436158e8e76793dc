// Owns: the road from this package to the notebook kernel that runs it: found by its shape, never imported.
// Must not know: what is displayed.
import { type Kernel, kernel } from "../../host";

/** One display message: a bundle of the same content in several mime types. */
export interface DisplayMessage {
  readonly data: Readonly<Record<string, unknown>>;
  /** Displays with one id are one display: an update changes it wherever it stands. */
  readonly id: string;
  readonly update: boolean;
}

/** Sends one display message to the notebook. */
export type KernelWriter = (message: DisplayMessage) => void;

type LiveWriter = (content: unknown, update: boolean) => void;

/**
 * The writer of the cell that runs now, with any mime bundle. The kernel's public calls send one mime type
 * without a text fallback, so this looks for the module that holds the writer among the loaded ones.
 */
function liveWriter(): LiveWriter | null {
  for (const [file, module] of Object.entries(require.cache)) {
    if (!/[\\/]tslab[\\/]dist[\\/]jupyter\.js$/.test(file)) continue;
    const writer: unknown = module?.exports?.lastWriteDisplayData;
    if (typeof writer === "function") return writer as LiveWriter;
  }
  return null;
}

interface PublicDisplay {
  html(html: string): void;
  text(text: string): void;
}

/** The kernel's documented displays, by id: used when its inner writer is not where it was. */
const publicDisplays = new Map<string, PublicDisplay>();

function writePublic(host: Kernel, message: DisplayMessage): void {
  let display = publicDisplays.get(message.id);
  if (display === undefined) {
    const tslab = host.require("tslab") as { newDisplay(): PublicDisplay };
    display = tslab.newDisplay();
    publicDisplays.set(message.id, display);
  }
  const html = message.data["text/html"];
  if (typeof html === "string") display.html(html);
  else display.text(String(message.data["text/plain"] ?? ""));
}

/** The way to the notebook, or null outside a kernel. Looks for the running cell's writer at every message. */
export function kernelWriter(): KernelWriter | null {
  const host = kernel();
  if (host === null) return null;
  return (message) => {
    const live = liveWriter();
    if (live === null) {
      writePublic(host, message);
      return;
    }
    const content = { data: message.data, metadata: {}, transient: { display_id: message.id } };
    live(content, message.update);
  };
}
