import { AddressError } from '../errors/address-error.js';
import { encodeSegment } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { getMember } from '../util/data-path.js';
import type { ProxyRequest } from './proxy-request.js';

/**
 * Fills `{name}` in a path: from the call's `pathParams`, then those that the record of a singleton was loaded with (H5), then the
 * proxy's, then the record's field (H10).
 * Throws `AddressError` for what has no value, or none that is safe.
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
      // Sent to the place of the first, the others would move, or strangers of the same ids be erased.
      if (values.some((each) => String(each) !== String(value)))
        throw new AddressError('template-several', { name, url: path });
    }
    if (value === undefined || value === null || value === '' || Number.isNaN(value)) {
      throw new AddressError('template-missing', { name, url: path });
    }
    return encodeSegment(value);
  });
}

/** What the first record was loaded or created with, where its proxy is a `singleton`. */
function rememberedParams({ records: [record] }: Operation): object | undefined {
  return record?.[MODEL].pathParams?.(record);
}
