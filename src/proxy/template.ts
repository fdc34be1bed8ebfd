import { AddressError } from '../errors/mistakes.js';
import { encodeSegment, encodeText } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { getMember } from '../util/data-path.js';
import type { ProxyRequest } from './proxy-request.js';

/**
 * Fills each `{name}` in a path. The value comes from the `pathParams` of the call, else of the load of a singleton's record (H5), else
 * of the proxy, else from the record's field (H10). Throws `AddressError` if a name has no value or an unsafe one.
 */
export function fillTemplate(path: string, request: ProxyRequest, proxyParams: object | undefined): string {
  const { operation, action, bulk } = request;
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    let value = getMember(operation.pathParams, name);
    if (value === undefined) value = getMember(rememberedParams(operation), name);
    if (value === undefined) value = getMember(proxyParams, name);
    if (value === undefined) {
      const records = bulk ? operation.records : operation.records.slice(0, 1);
      const values = records.map((each) => each[MODEL].templateValue(each, name, action !== 'create'));
      value = values[0];
      // At the address of the first record, the request would move the others, or erase other records with the same ids.
      if (values.some((each) => String(each) !== String(value)))
        throw new AddressError('template-several', { name, url: path });
    }
    if (value === undefined || value === null || value === '' || Number.isNaN(value)) {
      throw new AddressError('template-missing', { name, url: path });
    }
    return encodeSegment(value);
  });
}

/** Fills the `{name}`s of a path that have a value in one of the sources; the others stay. The result only identifies a place. */
export function fillKnown(path: string, sources: readonly (object | undefined)[]): string {
  return path.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const value = sources.map((source) => getMember(source, name)).find((each) => each !== undefined);
    return value === undefined ? whole : encodeText(String(value));
  });
}

/** The `pathParams` that the first record was loaded or created with, if its proxy is a `singleton`. */
function rememberedParams({ records: [record] }: Operation): object | undefined {
  return record?.[MODEL].pathParams?.(record);
}
