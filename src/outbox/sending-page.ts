import { randomUuid } from '../model/identifier.js';
import type { Clock } from '../util/clock.js';
import type { OutboxError } from './outbox-error.js';
import type { LoggedItem, OutboxStorage, StorageChange } from './storage/outbox-storage.js';

/** The wait between two questions whether the sending page is still there, in milliseconds. */
const ASK_EVERY = 30_000;

/** The time in which a page that is still there answers, in milliseconds. */
const ANSWER_WITHIN = 5000;

/** The parts of an outbox that the choice of the sending page uses. */
export interface SendingPageContext {
  readonly scope: string;
  readonly storage: OutboxStorage;
  readonly clock: Clock;
  /** Called when this page begins to send, and when it has found out that another page sends. */
  changed(isSending: boolean): void;
  reportProblem(error: unknown): void;
}

/**
 * Lets one of the pages that share a storage send, where there are no Web Locks. The page whose mark the storage holds sends. A page that waits
 * asks by another mark, and takes over if the mark of the sending page stays the same: each response replaces it. A page that was suspended, and
 * has lost its place without noticing, can do no harm: the storage refuses to note its attempts, because each names the progress that it has
 * read (`unchanged`).
 */
export class SendingPage {
  /** Whether this page sends. */
  isSending = false;
  private readonly scope: string;
  /** The mark of this page. */
  private mark: string | undefined = undefined;
  /** The mark of the sending page when this page has asked, and when that was. */
  private asked: { readonly mark: string | undefined; readonly at: number } | undefined = undefined;
  /** Whether this page was told that another one sends. */
  private isTold = false;
  private stopTimer: () => void = () => undefined;
  private stopWatching: () => void = () => undefined;
  private isClosed = false;
  private lastStep: Promise<void> = Promise.resolve();

  constructor(private readonly context: SendingPageContext) {
    // The marks must not be taken for changes of the scope.
    this.scope = `${context.scope}\u0000sending`;
  }

  /** Takes the place of the sending page if it is free. */
  async open(): Promise<void> {
    this.stopWatching = this.context.storage.watch((change) => this.told(change));
    await this.step(() => this.look());
    // The page whose mark is stored may have been closed.
    if (!this.isSending) await this.step(() => this.ask());
  }

  /** Leaves the place to another page. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.stopTimer();
    this.stopWatching();
    await this.lastStep;
    if (this.isSending) await this.replaceMark(undefined).catch(() => undefined);
    this.isSending = false;
  }

  private told({ scope, records }: StorageChange): void {
    if (scope !== this.scope) return;
    if (this.isSending && records.includes('question')) void this.step(() => this.answer());
    else if (!records.includes('question')) void this.step(() => this.look());
  }

  /** Runs one step after the other. A step that fails is reported, and made again with the next question. */
  private step(make: () => Promise<void>): Promise<void> {
    this.lastStep = this.lastStep
      .then(() => (this.isClosed ? undefined : make()))
      .catch((error: OutboxError) => {
        if (error.code !== 'outbox-taken-over') this.context.reportProblem(error);
        this.askIn(ASK_EVERY);
      });
    return this.lastStep;
  }

  private async look(): Promise<void> {
    const { progress: mark } = await this.item('sender');
    if (this.isSending && mark === this.mark) return;
    const hasLost = this.isSending;
    this.isSending = false;
    const { asked } = this;
    const isSilent = asked?.mark === mark && this.context.clock.now() - (asked?.at ?? 0) >= ANSWER_WITHIN;
    if (mark === undefined || isSilent) return this.takePlace(mark);
    // There is a page that sends if it has answered, or has taken the place of this one.
    if (!hasLost && (!asked || asked.mark === mark)) return;
    this.asked = undefined;
    this.askIn(ASK_EVERY);
    if (!this.isTold) this.context.changed(false);
    this.isTold = true;
  }

  private async takePlace(before: string | undefined): Promise<void> {
    this.mark = before;
    await this.replaceMark(randomUuid());
    this.asked = undefined;
    this.stopTimer();
    this.isSending = true;
    this.isTold = false;
    this.context.changed(true);
  }

  private async answer(): Promise<void> {
    await this.replaceMark(randomUuid()).catch(async (error: OutboxError) => {
      if (error.code !== 'outbox-taken-over') throw error;
      await this.look();
    });
  }

  private async ask(): Promise<void> {
    const { storage, clock } = this.context;
    const { progress: mark } = await this.item('sender');
    const { key } = await this.item('question');
    this.asked = { mark, at: clock.now() };
    this.stopTimer();
    this.stopTimer = clock.after(ANSWER_WITHIN, () => void this.step(() => this.look()));
    await storage.update([{ key, progress: randomUuid() }]);
  }

  private askIn(wait: number): void {
    if (this.isClosed || this.isSending) return;
    this.stopTimer();
    this.stopTimer = this.context.clock.after(wait, () => void this.step(() => this.ask()));
  }

  private async replaceMark(mark: string | undefined): Promise<void> {
    const { key } = await this.item('sender');
    await this.context.storage.update([{ key, progress: mark }], [{ key, progress: this.mark }]);
    this.mark = mark;
  }

  /** The item that holds a mark. If two pages have made one each, the older one counts. */
  private async item(record: string): Promise<LoggedItem> {
    const { storage } = this.context;
    const { scope } = this;
    const read = async () => (await storage.read({ scope, records: [record] })).items[0];
    const known = await read();
    if (known) return known;
    await storage.append([{ scope, record, data: '' }]);
    return (await read()) as LoggedItem;
  }
}
