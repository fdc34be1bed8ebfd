import { type Batch, Store } from 'repose';
import { memoryStorage, Outbox } from '../../../src/outbox.js';
import { createModels, type KindName, kindOf, kinds } from './kinds.js';
import type { HostileRecord } from './subject.js';

/** A store of any model. */
export type AnyStore = Store<never> & {
  add(values: object): HostileRecord[];
  remove(record: HostileRecord): unknown;
  getById(id: unknown): HostileRecord | undefined;
  getAt(index: number): HostileRecord | undefined;
  sync(options?: object): Promise<Batch<HostileRecord>>;
};

/** The models, the stores and the outbox of an application. */
export class Application {
  readonly stores = {} as Record<KindName, AnyStore>;
  private readonly storage = memoryStorage();
  private opened: Outbox | undefined = undefined;

  private constructor(
    readonly models: ReturnType<typeof createModels>,
    private readonly problem: (error: Error) => void,
  ) {}

  static async start(url: string, problem: (error: Error) => void): Promise<Application> {
    const application = new Application(createModels(url), problem);
    await application.open();
    for (const name of kinds) application.makeStore(name);
    return application;
  }

  get outbox(): Outbox {
    return this.opened as Outbox;
  }

  /** Closes the outbox and opens it again. Collections behind the outbox keep nothing else. */
  async restart(): Promise<void> {
    await this.outbox.close();
    await this.open();
    for (const name of kinds) if (kindOf[name].queued) this.makeStore(name);
  }

  private async open(): Promise<void> {
    this.opened = new Outbox({
      ...{ scope: 'hostile', storage: this.storage, backoff: { base: 2, max: 10 }, maxAttempts: 1000 },
      onProblem: this.problem,
    });
    await this.opened.ready;
  }

  private makeStore(name: KindName): void {
    const model = this.models[name] as typeof this.models.orders;
    const proxy = kindOf[name].queued && { proxy: { use: [this.outbox] } };
    this.stores[name] = new Store({ model, pageSize: 1000, ...proxy }) as unknown as AnyStore;
  }
}
