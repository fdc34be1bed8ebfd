import { checkOptions } from '../dev/checks.js';
import { formErrorMessages } from '../dev/texts.js';
import { formatMessage } from '../errors/message-format.js';
import { formMessages } from '../errors/messages/forms.js';
import { DefinitionError } from '../errors/mistakes.js';
import { callable } from '../errors/option-rules.js';
import { ValidationError } from '../errors/validation-error.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { EncodedBody } from '../http/body-codec.js';
import type { Operation } from '../operation/operation.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { issuePath } from '../proxy/encode.js';
import { findFile } from '../util/files.js';
import { callSafely } from '../util/notifier.js';
import { type FormEntry, formEntries } from './form-entries.js';
import { xhrFetch } from './xhr-fetch.js';

/** How far an upload is. */
export interface UploadProgress {
  /** The operation whose body is sent; its `records` are those that are written. */
  readonly operation: Operation;
  /** Number of bytes that were sent. */
  readonly loaded: number;
  /** Number of bytes of the whole body. */
  readonly total: number;
}

/** Options of {@link formBodies}. */
export interface FormBodiesConfig {
  /**
   * Called while the body of a write is sent, for progress bars. In browsers only, and only if the proxy has no `fetch` of its own:
   * bodies are then sent with `XMLHttpRequest`, since `fetch` does not tell its progress. An error that it throws is reported as an
   * uncaught error and does not affect the write. @default none
   *
   * @example
   * ```ts
   * const bar = document.querySelector('progress')!;
   * const upload = formBodies({
   *   progress({ loaded, total }) {
   *     bar.value = loaded / total;
   *   },
   * });
   * ```
   */
  progress?: (progress: UploadProgress) => void;
}

/**
 * Sends forms and files. The proxy's `writer.type` says which bodies are forms: all (`form`), or those with a `File` or `Blob`
 * (`multipart`). Throws `DefinitionError` for wrong options.
 *
 * An upload that moves does not end at the proxy's `timeout`: with `progress`, the limit begins anew whenever bytes were sent or received.
 * `fetch` does not tell that, so each started megabyte of files then adds the limit once more.
 *
 * @example
 * ```ts
 * class Photo extends Model.define({
 *   fields: { id: 'int', title: 'string', image: 'auto' },
 *   proxy: { url: '/photos', writer: { type: 'multipart' }, use: [formBodies()] },
 * }) {}
 * await new Photo({ title: 'Sea', image: new File(['…'], 'sea.jpg') }).save();
 * ```
 */
export function formBodies(config: FormBodiesConfig = {}): Extension {
  checkOptions('formBodies', config, { progress: callable });
  const { progress } = config;
  const tellsProgress = (proxy: DataProxy) =>
    progress !== undefined && !(proxy as AjaxProxy).fetch && typeof XMLHttpRequest === 'function';
  return Object.freeze<Extension>({
    name: 'form-bodies',
    layer: LAYERS.streaming + 1,
    encode(request, proxy) {
      const { type } = proxy.writer;
      const hasFile = type !== 'json' && findFile(request.body) !== undefined;
      if (!hasFile && type !== 'form') return undefined;
      const encoded = encodeForm(entriesOf(request, proxy), hasFile);
      if (!tellsProgress(proxy) && encoded.body instanceof FormData) request.timeout *= megabytesOf(encoded.body);
      return encoded;
    },
    async send(request, next, proxy) {
      const { operation, encoded, action, timeout } = request;
      if (!progress || !tellsProgress(proxy) || !encoded || action === 'read') return next(request);
      const limit = { clock: proxy.clock, timeout, unconfirmed: action === 'create' };
      request.fetch = xhrFetch((loaded, total) => callSafely(progress, { operation, loaded, total }), limit);
      request.timeout = 0;
      try {
        return await next(request);
      } finally {
        request.timeout = timeout;
      }
    },
  });
}

/** The size of the files of a form in megabytes, with one for the rest. */
function megabytesOf(form: FormData): number {
  const sizes = [...form.values()].map((value) => (typeof value === 'string' ? 0 : value.size));
  return 1 + Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 1_000_000);
}

function encodeForm(entries: readonly FormEntry[], hasFile: boolean): EncodedBody {
  const text = entries.map(([name, value]) => `${name}=${shown(value)}`).join('&');
  if (!hasFile) {
    const body = new URLSearchParams(entries as [string, string][]).toString();
    return { body, contentType: 'application/x-www-form-urlencoded', text };
  }
  const body = new FormData();
  for (const [name, value] of entries) body.append(name, value as string);
  return { body, contentType: undefined, text };
}

/** A value of a form for people: of a file, its name and size. */
function shown(value: string | Blob): string {
  if (typeof value === 'string') return value;
  const { name = 'blob', size } = value as Blob & { readonly name?: string };
  return `(${name}, ${size} bytes)`;
}

/** The names and values of the form for a request. */
function entriesOf(request: ProxyRequest, { writer, messages: own }: DataProxy): readonly FormEntry[] {
  const messages = { ...formMessages, ...own };
  const { body } = request;
  if (Array.isArray(body)) throw new DefinitionError('form-list', {}, { messages: { ...formErrorMessages, ...own } });
  return formEntries(body, {
    names: writer.names,
    texts: writer.values,
    refuse: (code, path) => {
      const message = formatMessage(code, { name: String(path.at(-1) ?? '') }, messages);
      return new ValidationError([{ path: issuePath(path, request, writer), message, code }]);
    },
  });
}
