/** Attributes of an element, and its listeners by the names of events with `on` before them. */
export interface Attributes {
  readonly [name: string]: string | boolean | undefined | ((event: never) => void);
}

export type Child = Node | string | undefined | false;

/** Creates an element. Texts become text nodes, whatever is in them: nothing of the panel is ever read as markup. */
export function create<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(key, '');
    else if (typeof value === 'string') element.setAttribute(key, value);
  }
  element.append(...children.filter((child): child is Node | string => child !== undefined && child !== false));
  return element;
}

/** A button. */
export function button(label: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return create('button', { type: 'button', onclick: click, ...attributes }, label);
}

/** Pairs of names and texts; those without a text are left out. */
export function facts(pairs: readonly (readonly [name: string, value: Child])[]): HTMLDListElement {
  const shown = pairs.filter(([, value]) => value !== undefined && value !== false && value !== '');
  return create(
    'dl',
    { class: 'facts' },
    ...shown.flatMap(([name, value]) => [create('dt', {}, name), create('dd', {}, value)]),
  );
}

/** A table with a header for each column. Columns called '' have no header. */
export function table(
  label: string,
  columns: readonly string[],
  rows: readonly (readonly Child[])[],
  classOf: (row: number) => string | undefined = () => undefined,
): HTMLElement {
  const head = create('tr', {}, ...columns.map((column) => create('th', { scope: 'col' }, column)));
  const body = rows.map((cells, at) =>
    create('tr', { class: classOf(at) }, ...cells.map((cell) => create('td', {}, cell))),
  );
  const made = create('table', {}, create('thead', {}, head), create('tbody', {}, ...body));
  return create('div', { class: 'scroll', role: 'region', 'aria-label': label, tabindex: '0' }, made);
}

/** A section that opens and closes. */
export function section(title: string, isOpen: boolean, ...children: readonly Child[]): HTMLDetailsElement {
  return create('details', { open: isOpen, 'data-section': title }, create('summary', {}, title), ...children);
}
