// Owns: telling errors about the command line from errors about a file.
// Must not know: which commands there are.
import { BackendUnavailableError, OptionError } from "../errors";
import { UsageError } from "./command";

/** A bad option, or a backend that is not here, as wrong usage; every other error as it is. */
export function usageFault(error: unknown): unknown {
  const isUsage = error instanceof OptionError || error instanceof BackendUnavailableError;
  return isUsage ? new UsageError(error.message) : error;
}
