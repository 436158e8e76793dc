// Owns: keeping the kernel's messages from being lost: see below. `FRAMELAB_KEEP_KERNEL=1` leaves the kernel as it is.
// Must not know: what the messages hold.
import { kernel } from "../../host";

/** Marks a patched socket class, so that a second copy of this package does not patch it again. */
const CARED: unique symbol = Symbol.for("framelab.kernel-care") as never;

type Send = (...parts: unknown[]) => unknown;

interface SocketClass {
  readonly prototype: { send: Send; sendTimeout: number; [CARED]?: true };
}

/** The loaded messaging module of the kernel, if it has the shape that is known. */
function loadedSockets(): { socket: SocketClass; publisher: SocketClass } | null {
  for (const [file, module] of Object.entries(require.cache)) {
    if (!/[\\/]zeromq[\\/]lib[\\/]index\.js$/.test(file)) continue;
    const { Socket, Publisher } = (module?.exports ?? {}) as Record<string, unknown>;
    if (typeof Socket !== "function" || typeof Publisher !== "function") continue;
    return { socket: Socket as unknown as SocketClass, publisher: Publisher as unknown as SocketClass };
  }
  return null;
}

/**
 * The kernel does not wait for its sends. About every 512th message of its publishing socket is sent
 * asynchronously, and the next one in the same tick then fails: output is lost, and the cell may fail or never
 * end. With a send timeout of 0 that socket always sends synchronously, and a publishing socket never blocks.
 *
 * Returns true when the kernel is cared for (now or before), false outside a kernel, when asked not to, or
 * when the kernel has another shape than the one known.
 */
export function keepMessages(): boolean {
  if (kernel() === null || process.env.FRAMELAB_KEEP_KERNEL === "1") return false;
  const sockets = loadedSockets();
  if (sockets === null) return false;
  const prototype = sockets.socket.prototype;
  if (prototype[CARED]) return true;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, "send");
  if (descriptor?.configurable !== true || typeof descriptor.value !== "function") return false;
  const send = descriptor.value as Send;
  const isPublisher = (value: unknown): boolean => value instanceof (sockets.publisher as never);
  Object.defineProperty(prototype, "send", {
    ...descriptor,
    value(this: { sendTimeout: number }, ...parts: unknown[]): unknown {
      if (isPublisher(this) && this.sendTimeout !== 0) this.sendTimeout = 0;
      return send.apply(this, parts);
    },
  });
  Object.defineProperty(prototype, CARED, { value: true });
  return true;
}
