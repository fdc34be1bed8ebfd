import { plainText } from '../plain-values.js';
import type { Recorder } from '../recorder.js';
import type { RecordedOperation } from '../recording.js';
import { SecretMask } from '../secrets/secret-mask.js';
import { describeOperation, toTest } from '../test-file.js';
import { button, create } from './dom.js';
import { operationView } from './operation-view.js';
import { outboxesView, storesView, waitedWords } from './state-views.js';
import { STYLES } from './styles.js';
import { duration, inLine, outcomeOf } from './words.js';

/** How a panel stands in the page. */
export interface PanelOptions {
  /** Its name. */
  readonly title: string;
  /** Whether it is docked at the lower edge of the page, behind a button; else it fills its element. */
  readonly isDocked: boolean;
  readonly isOpen: boolean;
  readonly scheme: 'page' | 'both' | 'light' | 'dark';
}

type Tab = 'operations' | 'stores' | 'outbox';
const TABS: readonly Tab[] = ['operations', 'stores', 'outbox'];
const TAB_NAMES: Readonly<Record<Tab, string>> = { operations: 'Operations', stores: 'Stores', outbox: 'Outbox' };

/** The screen of a recorder, in a shadow root of its own. Nothing that goes wrong in it reaches the application. */
export class Panel {
  readonly host: HTMLElement = create('div', { 'data-repose-inspector': true });
  private readonly root: ShadowRoot = this.host.attachShadow({ mode: 'open' });
  private readonly panel: HTMLElement;
  private readonly launch: HTMLButtonElement;
  private readonly tabs: Readonly<Record<Tab, HTMLButtonElement>>;
  private readonly message: HTMLElement = create('div', { class: 'message', role: 'status' });
  private readonly list: HTMLElement;
  private readonly detail: HTMLElement = create('div', {
    class: 'detail',
    role: 'region',
    'aria-label': 'The chosen operation',
    tabindex: '0',
  });
  private readonly page: HTMLElement = create('div', { class: 'page', role: 'tabpanel', tabindex: '0', id: 'page' });
  private readonly operationsBody: HTMLElement;
  private readonly filter: HTMLInputElement;
  private readonly pauseButton: HTMLButtonElement;
  private readonly failuresButton: HTMLButtonElement;
  private readonly secretsButton: HTMLButtonElement;
  /** The rows on show, by the number of their operation, with the operation that they show. */
  private readonly rows: Map<
    number,
    { readonly element: HTMLElement; readonly shown: RecordedOperation; readonly span: string }
  > = new Map();
  private tab: Tab = 'operations';
  private chosen: number | undefined = undefined;
  private shownDetail: { readonly operation: RecordedOperation; readonly withSecrets: boolean } | undefined = undefined;
  private readonly sections: Map<string, boolean> = new Map();
  private withSecrets = false;
  private onlyFailures = false;
  private isOpen: boolean;
  private timer: ReturnType<typeof setTimeout> | undefined = undefined;
  private readonly unsubscribe: () => void;

  constructor(
    private readonly recorder: Recorder,
    options: PanelOptions,
  ) {
    const { title, isDocked, scheme } = options;
    this.isOpen = options.isOpen || !isDocked;
    this.host.toggleAttribute('data-docked', isDocked);
    if (scheme !== 'page') this.host.setAttribute('data-scheme', scheme);
    // Keys that are pressed in the panel are no shortcuts of the page, which sees only the host as their target.
    for (const name of ['keydown', 'keyup', 'keypress', 'input'])
      this.host.addEventListener(name, (event) => event.stopPropagation());
    const safely = (act: () => void) => () => this.safely(act);
    this.launch = button(
      title,
      safely(() => this.setOpen(true)),
      { class: 'launch', 'aria-expanded': 'false' },
    );
    this.tabs = Object.fromEntries(TABS.map((tab) => [tab, this.tabButton(tab)])) as Record<Tab, HTMLButtonElement>;
    this.list = create('div', {
      class: 'list',
      role: 'listbox',
      tabindex: '0',
      'aria-label': 'Operations, oldest first',
      onkeydown: (event: KeyboardEvent) => this.safely(() => this.listKey(event)),
      onclick: (event: MouseEvent) => this.safely(() => this.listClick(event)),
    });
    this.operationsBody = create('div', { class: 'body', role: 'tabpanel', id: 'operations' }, this.list, this.detail);
    this.filter = create('input', {
      class: 'filter',
      type: 'search',
      placeholder: 'Filter',
      'aria-label': 'Show operations with this text',
      oninput: safely(() => this.render()),
    });
    this.pauseButton = button(
      'Pause',
      safely(() => (recorder.isPaused ? recorder.resume() : recorder.pause())),
      { 'aria-pressed': 'false' },
    );
    this.failuresButton = button(
      'Failures',
      safely(() => this.toggleFailures()),
      { 'aria-pressed': 'false', title: 'Show only what has failed' },
    );
    this.secretsButton = button(
      'Show secrets',
      safely(() => this.toggleSecrets()),
      { 'aria-pressed': 'false', title: 'Show secrets, which exports never have' },
    );
    this.panel = create(
      'section',
      { class: 'panel', 'aria-label': title },
      create(
        'div',
        { class: 'bar' },
        create('span', { class: 'title' }, title),
        create(
          'div',
          { class: 'tabs', role: 'tablist', 'aria-label': 'Parts of the inspector' },
          ...TABS.map((tab) => this.tabs[tab]),
        ),
        create('span', { class: 'space' }),
        this.filter,
        this.failuresButton,
        this.pauseButton,
        button(
          'Clear',
          safely(() => recorder.clear()),
        ),
        button(
          'Export',
          safely(() => this.download()),
          { title: 'Save the recording as JSON, with secrets masked' },
        ),
        button(
          'Copy as test',
          safely(() => this.copy(toTest(recorder.recording()), 'The test')),
          { title: 'Copy a test for Vitest that replays the recording' },
        ),
        this.secretsButton,
        isDocked &&
          button(
            'Close',
            safely(() => this.setOpen(false)),
            { 'aria-label': `Close ${title}` },
          ),
      ),
      this.message,
      this.operationsBody,
      this.page,
    );
    this.root.append(this.panel, ...(isDocked ? [this.launch] : []));
    this.unsubscribe = recorder.subscribe(() => this.schedule());
    this.safely(() => this.setOpen(this.isOpen, false));
  }

  /** Puts the panel into an element, also one of a frame. */
  show(place: Element): void {
    const docked = place.querySelectorAll(':scope > [data-repose-inspector][data-docked]').length;
    // The buttons of several inspectors stand side by side.
    if (docked > 0) this.launch.style.setProperty('inset-inline-end', `${12 + docked * 110}px`);
    place.append(this.host);
    const view = place.ownerDocument.defaultView as (Window & typeof globalThis) | null;
    try {
      // A sheet belongs to one document, and is lost when its element moves to another one.
      const sheet = new (view ?? globalThis).CSSStyleSheet();
      sheet.replaceSync(STYLES);
      this.root.adoptedStyleSheets = [sheet];
    } catch {
      // Pages in memory, as of tests, have no such sheets.
      const style = create('style');
      style.textContent = STYLES;
      this.root.prepend(style);
    }
  }

  private get mask(): SecretMask {
    return new SecretMask(this.recorder.secrets);
  }

  dispose(): void {
    this.unsubscribe();
    clearTimeout(this.timer);
    this.isOpen = false;
    this.rows.clear();
    this.host.remove();
    this.root.replaceChildren();
  }

  private setOpen(isOpen: boolean, movesFocus = true): void {
    this.isOpen = isOpen;
    this.panel.hidden = !isOpen;
    this.launch.hidden = isOpen;
    this.launch.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) this.render();
    if (movesFocus) (isOpen ? this.tabs[this.tab] : this.launch).focus();
  }

  /** Draws what has changed at most ten times a second, however much happens: the application comes first. */
  private schedule(): void {
    if (!this.isOpen || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.safely(() => this.render());
    }, 100);
  }

  private safely(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.message.textContent = `The inspector has failed: ${plainText(error)}`;
    }
  }

  // ── Tabs and buttons ──

  private tabButton(tab: Tab): HTMLButtonElement {
    const keys: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };
    return button('', () => this.safely(() => this.choose(tab)), {
      role: 'tab',
      'aria-controls': tab === 'operations' ? 'operations' : 'page',
      onkeydown: (event: KeyboardEvent) => {
        const step = keys[event.key];
        if (step === undefined) return;
        const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] as Tab;
        this.safely(() => this.choose(next));
        this.tabs[next].focus();
      },
    });
  }

  private choose(tab: Tab): void {
    this.tab = tab;
    this.render();
  }

  private toggleSecrets(): void {
    this.withSecrets = !this.withSecrets;
    this.render();
  }

  private toggleFailures(): void {
    this.onlyFailures = !this.onlyFailures;
    this.render();
  }

  private download(): void {
    const text = JSON.stringify(this.recorder.recording(), null, 2);
    const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    create('a', { href: url, download: 'recording.json' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
    this.message.textContent = 'The recording was saved as recording.json, with secrets masked.';
  }

  private copy(text: string, what: string): void {
    const done = () => {
      this.message.textContent = `${what} was copied.`;
    };
    // A page without the clipboard, such as one by http, shows the text instead.
    const show = () => {
      const area = create('textarea', { readonly: true, 'aria-label': what });
      area.value = text;
      this.message.replaceChildren(`${what}, to be copied by hand:`, area);
      area.select();
    };
    const { clipboard } = navigator as { clipboard?: Clipboard };
    if (clipboard) clipboard.writeText(text).then(done, show);
    else show();
  }

  // ── Drawing ──

  private render(): void {
    const { recorder } = this;
    const { operations, stores, outboxes } = recorder;
    const counts = {
      operations: operations.length,
      stores: stores.length,
      outbox: outboxes.reduce((sum, { entries, moreEntries }) => sum + entries.length + moreEntries, 0),
    };
    for (const tab of TABS) {
      const element = this.tabs[tab];
      const isChosen = tab === this.tab;
      element.setAttribute('aria-selected', String(isChosen));
      element.tabIndex = isChosen ? 0 : -1;
      element.replaceChildren(`${TAB_NAMES[tab]} `, create('span', { class: 'count' }, String(counts[tab])));
    }
    this.pauseButton.textContent = recorder.isPaused ? 'Resume' : 'Pause';
    this.pauseButton.setAttribute('aria-pressed', String(recorder.isPaused));
    this.failuresButton.setAttribute('aria-pressed', String(this.onlyFailures));
    this.secretsButton.setAttribute('aria-pressed', String(this.withSecrets));
    const isOperations = this.tab === 'operations';
    this.operationsBody.hidden = !isOperations;
    this.page.hidden = isOperations;
    for (const element of [this.filter, this.failuresButton]) element.hidden = !isOperations;
    if (isOperations) this.renderOperations();
    else if (this.tab === 'stores')
      this.page.replaceChildren(...storesView(this.withSecrets ? stores : stores.map((each) => this.mask.store(each))));
    else
      this.page.replaceChildren(
        ...outboxesView(this.withSecrets ? outboxes : outboxes.map((each) => this.mask.outbox(each))),
      );
  }

  private renderOperations(): void {
    const { operations, forgotten } = this.recorder;
    const shown = operations.filter((operation) => this.passes(operation));
    const start = shown.reduce((least, { startedAt }) => Math.min(least, startedAt), Number.POSITIVE_INFINITY);
    const end = shown.reduce((most, { startedAt, duration: took = 0 }) => Math.max(most, startedAt + took), start + 1);
    const numbers = new Set(shown.map(({ number }) => number));
    const span = `${start}-${end}-${this.withSecrets}`;
    const isAtEnd = this.list.scrollTop + this.list.clientHeight >= this.list.scrollHeight - 40;
    const elements = shown.map((operation) => this.rowOf(operation, span, start, end));
    for (const number of [...this.rows.keys()]) if (!numbers.has(number)) this.rows.delete(number);
    if (elements.length === 0) this.list.replaceChildren();
    else this.place(elements);
    this.list.removeAttribute('aria-activedescendant');
    if (this.chosen !== undefined && this.rows.has(this.chosen))
      this.list.setAttribute('aria-activedescendant', `operation-${this.chosen}`);
    if (isAtEnd) this.list.scrollTop = this.list.scrollHeight;
    this.renderDetail(operations, shown.length, forgotten);
  }

  /** Puts rows in place without moving those that stand right, so that the page keeps its scroll position. */
  private place(elements: readonly HTMLElement[]): void {
    const wanted = new Set<Node>(elements);
    for (const child of [...this.list.childNodes]) if (!wanted.has(child)) child.remove();
    for (const [at, element] of elements.entries()) {
      const present = this.list.childNodes[at];
      if (present !== element) this.list.insertBefore(element, present ?? null);
    }
  }

  private passes(operation: RecordedOperation): boolean {
    if (this.onlyFailures && operation.state !== 'failed' && operation.state !== 'refused') return false;
    const text = this.filter.value.trim().toLowerCase();
    if (text === '') return true;
    const searched = [describeOperation(operation), ...operation.attempts.map(({ url, status }) => `${url} ${status}`)];
    return searched.join(' ').toLowerCase().includes(text);
  }

  private rowOf(operation: RecordedOperation, span: string, start: number, end: number): HTMLElement {
    const { number, state } = operation;
    const known = this.rows.get(number);
    const isChosen = number === this.chosen;
    known?.element.setAttribute('aria-selected', String(isChosen));
    if (known && known.shown === operation && known.span === span) return known.element;
    const element =
      known?.element ??
      create('div', {
        class: 'row',
        role: 'option',
        id: `operation-${number}`,
        'data-number': String(number),
        'aria-selected': String(isChosen),
      });
    const { kind, duration: took, attempts } = operation;
    const waited = waitedWords(attempts.reduce((sum, attempt) => sum + attempt.waited, 0));
    const [subject = '', ...rest] = subjectOf(operation);
    element.replaceChildren(
      create('span', { class: 'kind' }, kind === 'destroy' ? 'erase' : kind),
      create(
        'span',
        { class: 'what' },
        `${this.withSecrets ? subject : this.mask.text(subject)} `,
        create('small', {}, [...rest, waited].filter(Boolean).join(' · ')),
      ),
      create('span', { class: `outcome ${state}` }, outcomeOf(operation)),
      create('span', { class: 'took' }, took === undefined ? '…' : duration(took)),
      trackOf(operation, start, end),
    );
    this.rows.set(number, { element, shown: operation, span });
    return element;
  }

  private renderDetail(operations: readonly RecordedOperation[], count: number, forgotten: number): void {
    const operation = operations.find(({ number }) => number === this.chosen);
    this.panel.toggleAttribute('data-detail', operation !== undefined);
    if (!operation) {
      this.shownDetail = undefined;
      const hint =
        count > 0
          ? 'Choose an operation to see its request, why it looks as it does, the response and the records.'
          : 'Nothing was sent yet. Loads, saves and erases appear here as they happen.';
      this.detail.replaceChildren(
        create('p', { class: 'empty' }, hint, forgotten > 0 && ` ${forgotten} older operations were forgotten.`),
      );
      return;
    }
    const { withSecrets } = this;
    if (this.shownDetail?.operation === operation && this.shownDetail.withSecrets === withSecrets) return;
    const isSame = this.shownDetail?.operation.number === operation.number;
    this.shownDetail = { operation, withSecrets };
    const { scrollTop } = this.detail;
    for (const element of this.detail.querySelectorAll('details'))
      this.sections.set(sectionName(element.dataset['section']), element.open);
    const view = operationView(withSecrets ? operation : this.recorder.masked(operation), {
      withSecrets,
      secrets: this.recorder.secrets,
      copy: (text, what) => this.safely(() => this.copy(text, what)),
      back: () => this.safely(() => this.select(undefined)),
      isOpen: (name, byDefault) => this.sections.get(name) ?? byDefault,
    });
    this.detail.replaceChildren(...view);
    this.detail.scrollTop = isSame ? scrollTop : 0;
  }

  // ── Choosing an operation ──

  private select(number: number | undefined): void {
    this.chosen = number;
    this.render();
    const row = number === undefined ? undefined : this.rows.get(number)?.element;
    row?.scrollIntoView({ block: 'nearest' });
    if (number === undefined) this.list.focus();
  }

  private listClick({ target }: MouseEvent): void {
    const row = (target as Element).closest<HTMLElement>('.row');
    if (row) this.select(Number(row.dataset['number']));
  }

  private listKey(event: KeyboardEvent): void {
    const numbers = [...this.list.querySelectorAll<HTMLElement>('.row')].map((row) => Number(row.dataset['number']));
    const at = this.chosen === undefined ? -1 : numbers.indexOf(this.chosen);
    const next: Readonly<Record<string, number | undefined>> = {
      ArrowDown: Math.min(at + 1, numbers.length - 1),
      ArrowUp: at < 0 ? numbers.length - 1 : Math.max(at - 1, 0),
      Home: 0,
      End: numbers.length - 1,
    };
    if (event.key === 'Escape') this.select(undefined);
    const place = next[event.key];
    if (place === undefined || numbers.length === 0) return;
    event.preventDefault();
    this.select(numbers[place]);
  }
}

/** The name of a section without the number of its items. */
function sectionName(title = ''): string {
  return title.replace(/ \(.*\)$/, '');
}

/** The subject of an operation, and what is said of it beside. */
function subjectOf(operation: RecordedOperation): string[] {
  const { model = '', query, records, rows, total, kind, attempts } = operation;
  const id = query?.id ?? (kind !== 'read' && records.length === 1 ? records[0]?.id : undefined);
  if (kind === 'call') return [model || pathOf(attempts[0]?.url)];
  if (id !== undefined && id !== null) return [`${model} ${inLine(id)}`];
  if (kind !== 'read') return [records.length > 1 ? `${records.length} × ${model}` : `${model} (new)`];
  return [model, rows === undefined ? '' : `${rows}${total === undefined ? '' : ` of ${total}`} rows`];
}

function pathOf(url: string | undefined): string {
  return url === undefined ? '' : url.replace(/^[^/]*\/\/[^/]*/, '').replace(/[?#].*$/s, '');
}

/** The course of an operation on the time line of all operations on show: its waits, and its attempts. */
function trackOf({ startedAt, attempts, duration: took }: RecordedOperation, start: number, end: number): HTMLElement {
  const width = end - start;
  const bar = (from: number, length: number, kind: string) => {
    const element = create('i', { class: kind });
    element.style.setProperty('inset-inline-start', `${((startedAt - start + from) / width) * 100}%`);
    element.style.setProperty('width', `${(length / width) * 100}%`);
    return element;
  };
  const bars = attempts.flatMap(({ at, waited, duration: length, status }) => {
    const isBad = length !== undefined && (status === undefined || status >= 400);
    const open = length === undefined;
    const lasts = length ?? end - startedAt - at;
    return [waited > 0 && bar(at - waited, waited, 'wait'), bar(at, lasts, open ? 'open' : isBad ? 'bad' : 'good')];
  });
  if (attempts.length === 0) bars.push(bar(0, took ?? 0, 'bad'));
  return create('span', { class: 'track', 'aria-hidden': 'true' }, ...bars);
}
