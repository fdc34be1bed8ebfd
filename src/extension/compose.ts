import type { Call, Send } from './call.js';
import type { Extension } from './extension.js';

/** Puts the `send` hooks around what sends a call once; without hooks, that is returned as it is. */
export function composeSend(extensions: readonly Extension[], sendOnce: Send): Send {
  return extensions.reduceRight<Send>(
    (next, extension) => (extension.send ? (call: Call) => extension.send?.(call, next) as ReturnType<Send> : next),
    sendOnce,
  );
}
