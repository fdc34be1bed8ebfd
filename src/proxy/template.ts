import { AddressError } from '../errors/address-error.js';
import { encodeSegment } from '../http/url.js';
import { MODEL } from '../operation/operation-record.js';
import { getMember } from '../util/data-path.js';
import type { ProxyRequest } from './proxy-request.js';

/**
 * Fills `{name}` in a path: from the call's `pathParams`, then the proxy's, then the record's field (H10).
 * Throws `AddressError` for what has no value, or none that is safe.
 */
export function fillTemplate(path: string, request: ProxyRequest, proxyParams: object | undefined): string {
  const { operation, action } = request;
  const record = operation.records[0];
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    let value = getMember(operation.pathParams, name);
    if (value === undefined) value = getMember(proxyParams, name);
    if (value === undefined && record) value = record[MODEL].templateValue(record, name, action !== 'create');
    if (value === undefined || value === null || value === '' || Number.isNaN(value)) {
      throw new AddressError('template-missing', { name, url: path });
    }
    return encodeSegment(value);
  });
}
