import type { RecordedBody, RecordedOperation } from './recording.js';
import { SecretMask } from './secrets/secret-mask.js';

/** Options of {@link toCurl}. */
export interface CurlOptions {
  /** Whether secrets are written out, such as the token of the sign-in. @default false */
  withSecrets?: boolean;
  /** Names of fields that hold secrets, beside those that look like secrets. @default [] */
  secrets?: readonly string[];
}

/** Headers that `curl` sets itself, or that only a browser sets. */
const OWN_HEADERS = /^(content-length|host|connection|accept-encoding|sec-.*)$/i;

/**
 * The last attempt of an operation as a command for a shell, with secrets masked; undefined if nothing was sent.
 *
 * @example
 * ```ts
 * import { toCurl } from 'repose/devtools';
 *
 * const [operation] = recorder.operations;
 * if (operation) console.log(toCurl(operation));
 * ```
 */
export function toCurl(operation: RecordedOperation, options: CurlOptions = {}): string | undefined {
  const { withSecrets = false, secrets = [] } = options;
  const shown = withSecrets ? operation : new SecretMask(secrets).operation(operation);
  const attempt = shown.attempts.at(-1);
  if (!attempt) return undefined;
  const { method, url, headers, body } = attempt;
  // Without `--globoff` curl takes brackets and braces in an address for several addresses.
  const parts = [`curl ${/[[\]{}]/.test(url) ? '--globoff ' : ''}${methodOption(method, body)}${quoted(url)}`];
  for (const [name, value] of Object.entries(headers))
    if (!OWN_HEADERS.test(name)) parts.push(`-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`);
  if (body && body.only === undefined) parts.push(`--data-raw ${quoted(body.text)}`);
  const command = parts.join(' \\\n  ');
  return body?.only === undefined ? command : `${command}\n# The body is not written out: ${WHY[body.only]}`;
}

const WHY = {
  beginning: 'only its beginning was kept',
  form: 'it is a form with files',
  stream: 'it was a stream',
  blob: 'it was a file',
} as const;

/** curl sends GET, and POST where there is a body, unless it is told; with `-X HEAD` it would wait for a body. */
function methodOption(method: string, body: RecordedBody | undefined): string {
  if (method === 'HEAD') return '--head ';
  return method === 'GET' && !body ? '' : `-X ${quoted(method)} `;
}

/** A text as one argument of a shell: in single quotes nothing is expanded. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
