import type { Dialect } from '../dialect/dialect.js';
import { wrongValue } from '../errors/option-rules.js';
import type { Action } from '../operation/actions.js';
import type { DataProxy } from './data-proxy.js';

const WRITES = ['create', 'update', 'destroy'] as const;

/**
 * Throws `DefinitionError` if the dialect has no request for several records of an action that `batchActions` names: such a request
 * could change the whole collection (H16).
 */
export function checkBulk(proxy: DataProxy & { readonly dialect: Dialect }): void {
  const { dialect, batchActions } = proxy;
  const { bulk } = dialect.capabilities;
  const refused = WRITES.filter((action) => proxy.batches(action) && bulk?.includes(action) === false);
  if (!bulk || refused.length === 0) return;
  const known = bulk.length > 0 ? `\`{ ${bulk.map((action) => `${action}: true`).join(', ')} }\`` : 'false';
  throw wrongValue(
    `\`${proxy.constructor.name}.batchActions\``,
    `${known} with the dialect '${dialect.name}', which has no request that can ${refused.join(' or ')} several records`,
    batchActions,
  );
}

/** Whether one request of the dialect may create several records, even if `batchActions` does not say so. */
export function createsSeveral(action: Action, { capabilities: { bulk } }: Dialect): boolean {
  return action === 'create' && (bulk?.includes('create') ?? true);
}
