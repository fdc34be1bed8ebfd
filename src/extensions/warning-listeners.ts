import type { Extension } from '../extension/extension.js';
import type { Operation } from '../operation/operation.js';

/** The function to which an extension `diagnostics()` gives its warnings, by the extension. */
export const warningListeners: WeakMap<Extension, (text: string, operation: Operation) => void> = new WeakMap();
