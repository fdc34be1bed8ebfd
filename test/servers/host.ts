import { type AnyModel, Model, type RestProxyConfig, type Store } from 'repose';
import { type Exchange, type RealServer, recordingFetch } from '../helpers/servers/index.js';
import type { Access, Id, Row, ServerProfile } from './profile.js';

/** Options of a new record, also if the application gives its id. */
export const NEW = { phantom: true } as const;

/** A record of a model whose fields only the profile knows. */
export type ContractRecord = Model & {
  get(name: string): unknown;
  set(values: Row): unknown;
  readonly $: {
    readonly error: unknown;
    readonly errors: Readonly<Record<string, unknown>>;
    readonly modified: object;
  };
};
export interface ContractModel {
  new (values: object, options: { phantom: true }): ContractRecord;
  load(id: Id): Promise<ContractRecord>;
  readonly proxy: AnyModel['proxy'];
}
export type ContractStore = Store<ContractRecord>;

/** A running server, and models that reach it. */
export class Host {
  /** The requests of the library in this test. */
  readonly exchanges: Exchange[] = [];
  private server: RealServer | undefined;
  private lastNumber = 0;

  constructor(readonly profile: ServerProfile) {}

  async start(): Promise<void> {
    this.server = await this.profile.start();
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }

  get running(): RealServer {
    return present(this.server, 'running server');
  }

  get url(): string {
    return this.running.url;
  }

  get access(): Access {
    return this.profile.access(this.url);
  }

  /** The requests of the library that wrote. */
  get writes(): readonly Exchange[] {
    return this.exchanges.filter(
      (exchange) => !['GET', 'HEAD', 'OPTIONS'].includes(exchange.method) && !this.profile.reads?.(exchange),
    );
  }

  /** A number that no other record of this run has. */
  next(): number {
    return ++this.lastNumber;
  }

  /** The row on the server, fetched without the library and without volatile members; undefined for a row that does not exist. */
  async row(id: Id): Promise<Record<string, unknown> | undefined> {
    const row = await this.access.read(id);
    return row && this.steady(row);
  }

  /** The fields that a request of the library sent, without volatile members. */
  sentFields({ body }: Exchange): Record<string, unknown> {
    return this.steady((this.profile.sentFields?.(body) ?? body) as Record<string, unknown>);
  }

  private steady(row: Record<string, unknown>): Record<string, unknown> {
    const { volatile = [] } = this.profile;
    return Object.fromEntries(Object.entries(row).filter(([name]) => !volatile.includes(name)));
  }

  /** The model of the profile. `proxy` wins over the options of the profile. */
  model(proxy: RestProxyConfig = {}, options: object = {}, answer?: (response: Response) => Response): ContractModel {
    const { fields, idProperty = 'id', model } = this.profile;
    const config = {
      type: 'rest',
      ...this.profile.proxy(this.url),
      ...proxy,
      fetch: recordingFetch(this.exchanges, answer),
    };
    const defined = Model.define({ name: 'row', idProperty, ...model, fields, proxy: config, ...options } as never);
    return class extends (defined as never as new () => Model) {} as never as ContractModel;
  }

  /** A model that declares the id and one field only. */
  slim(field: string, proxy: RestProxyConfig = {}): ContractModel {
    const { fields, idProperty = 'id' } = this.profile;
    return this.model(proxy, {
      fields: { [idProperty]: present(fields[idProperty], 'field of the id'), [field]: present(fields[field], field) },
    });
  }

  /** A new record that is on the server. The requests made for it are forgotten. */
  async saved(Type: ContractModel = this.model(), values: Row = {}): Promise<ContractRecord> {
    const record = new Type({ ...this.profile.record(this.next()), ...values }, NEW);
    await record.save();
    this.exchanges.length = 0;
    return record;
  }
}

export function present<T>(value: T | undefined, name = 'such thing'): T {
  if (value === undefined) throw new Error(`There is no ${name}.`);
  return value;
}

export function idOf(record: Model): Id {
  return present(record.getId(), 'id');
}
