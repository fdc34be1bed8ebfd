import type { RecordModel } from '../../operation/operation-record.js';
import type { JsonReader } from '../json-reader.js';
import { type DigitPlace, placesInBody } from './digit-places.js';

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const BACKSLASH = 92;

/** A container that is being read. */
interface Container {
  readonly place: DigitPlace | undefined;
  /** Number of the item; undefined in an object. */
  item: number | undefined;
  /** Whether the next text is the name of a member. */
  named: boolean;
}

/** Puts quotes around the long numbers of a whole answer where a model keeps digits. */
export function keepBodyDigits(text: string, reader: JsonReader, model: RecordModel): string {
  // What reshapes a body puts its rows anywhere.
  return reader.reshapes ? text : keepDigits(text, placesInBody(reader, model));
}

/** Puts quotes around those numbers in a JSON text that `JSON.parse` would round, in the places that are to keep digits. */
export function keepDigits(text: string, places: DigitPlace): string {
  const open: Container[] = [];
  let place: DigitPlace | undefined = places;
  let kept = '';
  let done = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(text, at + 1);
      const top = open.at(-1);
      if (top?.named) {
        place = top.place?.inside.get(nameOf(text.slice(at, end + 1)));
        top.named = false;
      }
      at = end;
    } else if (code === COMMA) place = nextPlace(open.at(-1));
    else if ((code | 32) === 123) {
      const top: Container = { place, item: code === 123 ? undefined : -1, named: false };
      open.push(top);
      place = nextPlace(top);
    } else if ((code | 32) === 125) open.pop();
    else if (place?.keeps && (code === MINUS || (code >= 48 && code <= 57))) {
      const number = numberAt(text, at);
      if (isRounded(number)) {
        kept += `${text.slice(done, at)}"${number}"`;
        done = at + number.length;
      }
      at += number.length - 1;
    }
  }
  return kept + text.slice(done);
}

/** The place of the next item; of the next member none, before its name is known. */
function nextPlace(container: Container | undefined): DigitPlace | undefined {
  if (container?.item === undefined) {
    if (container) container.named = true;
    return undefined;
  }
  const { place } = container;
  container.item += 1;
  return place && (place.inside.get(String(container.item)) ?? place.items);
}

/** The place of the quote that ends a text. */
function endOfText(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}

/** A member name as it is written; a malformed one is nobody's name. */
function nameOf(text: string): string {
  if (!text.includes('\\')) return text.slice(1, -1);
  try {
    return JSON.parse(text) as string;
  } catch {
    return '';
  }
}

function numberAt(text: string, at: number): string {
  let end = at + 1;
  while (end < text.length && /[\d.eE+-]/.test(text.charAt(end))) end += 1;
  return text.slice(at, end);
}

/** Whether a number loses digits as one of JavaScript's; powers of ten are not meant to be exact. */
function isRounded(number: string): boolean {
  if (number.length < 16 || !/^-?(0|[1-9]\d*)(\.\d+)?$/.test(number)) return false;
  return number.includes('.') ? String(Number(number)) !== number : !Number.isSafeInteger(Number(number));
}
