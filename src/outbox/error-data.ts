import type { DataError } from '../errors/data-error.js';
import { isPlainObject } from '../util/values.js';

/** An error in the form in which it is stored: addresses are removed from its message and from the server's texts. */
export function errorData(error: DataError): object {
  return withoutAddresses(error.toJSON(), error.operation?.request?.url) as object;
}

function withoutAddresses(value: unknown, url: string | undefined): unknown {
  if (typeof value === 'string') {
    const text = url ? value.replaceAll(url, '…') : value;
    return text.replace(/\bhttps?:\/\/[^\s"'<>]+/gi, '…');
  }
  if (Array.isArray(value)) return value.map((each) => withoutAddresses(each, url));
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).map(([name, each]) => {
    // The `type` of a problem (RFC 9457) identifies it by a URI, which is not an address of the application.
    return [name, name === 'type' ? each : withoutAddresses(each, url)];
  });
  return Object.fromEntries(members);
}
