import type { TracePart } from 'repose';
import type { Exchange } from '../watched-proxy.js';
import { el } from './dom.js';

/** Most requests in the list. */
const MOST = 15;

/** The last requests, newest first, each with the rules and options that made its parts. */
export class Requests {
  readonly element: HTMLElement;
  private readonly list: HTMLOListElement = el('ol');
  private newest: HTMLDetailsElement | undefined = undefined;

  constructor() {
    const heading = el('h2', { id: 'requests' }, 'Requests');
    const hint = el('p', {}, 'What was sent, newest first. Each part with its rule and the option that changes it.');
    this.element = el('section', { class: 'requests', 'aria-labelledby': 'requests' }, heading, hint, this.list);
  }

  add({ explanation, operation, milliseconds }: Exchange): void {
    const { request, refused, parts, method, headers, body } = explanation;
    const { response, error } = operation;
    const verb = request?.method ?? '';
    const outcome = response ? String(response.status) : refused ? 'refused' : (error?.code ?? '');
    const all = [...(method ? [method] : []), ...parts, ...headers];
    const details = el(
      'details',
      { onclick: () => details === this.newest && (this.newest = undefined) },
      el(
        'summary',
        {},
        el('span', { class: `verb ${verb.toLowerCase()}` }, verb),
        el('span', { class: 'url' }, readable(request?.url ?? refused?.message ?? '')),
        el('span', { class: error ? 'status error' : 'status' }, outcome),
        el('span', { class: 'time' }, `${Math.round(milliseconds)} ms`),
      ),
      el('table', { class: 'parts' }, el('tbody', {}, ...all.map(partRow))),
    );
    if (body) details.append(...block(`Body (${body.rule}, ${body.option})`, request?.body));
    if (response?.text) details.append(...block('Reply', response.body));
    // Only the newest request is open, except for those that the user has opened or closed.
    if (this.newest) this.newest.open = false;
    this.newest = details;
    details.open = true;
    this.list.prepend(el('li', {}, details));
    while (this.list.children.length > MOST) this.list.lastElementChild?.remove();
  }
}

function partRow({ text, rule, option }: TracePart): HTMLElement {
  return el('tr', {}, el('td', {}, el('code', {}, readable(text))), el('td', {}, rule), el('td', {}, option));
}

function block(caption: string, body: unknown): HTMLElement[] {
  return [el('p', { class: 'caption' }, caption), el('pre', { tabindex: '0', 'aria-label': caption }, pretty(body))];
}

/** Decodes percent-encoding; returns texts that cannot be decoded as they are. */
function readable(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function pretty(body: unknown): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 1);
  return text.length > 1500 ? `${text.slice(0, 1500)}\n…` : text;
}
