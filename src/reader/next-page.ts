import { describe } from '../errors/messages.js';
import { ReadError } from '../errors/read-error.js';
import { isData } from '../util/data-path.js';

/**
 * The next page as an answer gives it; null if there is none. Throws `ReadError` for what is no text, and so no address or token:
 * requests would go to addresses that no server has named. `place` names the member for the message.
 */
export function nextText(next: unknown, place: string): string | null {
  if (next === undefined || next === null || next === '' || next === false) return null;
  if (typeof next !== 'string') {
    const hint = isData(next) && typeof next['href'] === 'string' ? ', such as its member `href`' : '';
    throw new ReadError('reply-next', { place, what: describe(next), hint });
  }
  return next;
}
