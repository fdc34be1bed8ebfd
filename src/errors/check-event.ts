import { nearestName } from '../util/nearest.js';
import { DefinitionError } from './definition-error.js';
import { callable, wrongValue } from './option-rules.js';
import { otherName } from './other-names.js';

/** Throws `DefinitionError` for an event that `owner` does not have, and for a listener that is no function. */
export function checkEvent(
  owner: string,
  event: unknown,
  known: readonly string[],
  listener: unknown,
  kind: 'event' | 'recordEvent' | 'outboxEvent' = 'event',
): void {
  if (typeof event !== 'string' || !known.includes(event)) throw unknownEvent(owner, String(event), known, kind);
  if (!callable.holds(listener)) throw wrongValue(`The listener of '${event}'`, callable.expected, listener);
}

function unknownEvent(owner: string, event: string, known: readonly string[], kind: string): DefinitionError {
  const remedy = otherName(kind, event);
  if (remedy) return new DefinitionError('event-other', { event, owner, remedy });
  const meant = nearestName(event, known);
  if (meant) return new DefinitionError('event-near', { event, owner, meant });
  return new DefinitionError('event-unknown', { event, owner, known: known.join(', ') });
}
