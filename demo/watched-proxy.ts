import { type Explanation, explain, type Operation, RestProxy, type RestProxyConfig, type ResultSet } from 'repose';

/** One request and its result. */
export interface Exchange {
  /** The parts of the request as it was sent. */
  readonly explanation: Explanation;
  /** The operation, with its `response` if one came, and its `error` if it failed. */
  readonly operation: Operation;
  readonly milliseconds: number;
}

/** Options of a watched proxy. */
export interface WatchedProxyConfig extends RestProxyConfig {
  /** Called when a request has ended, before its promise settles. */
  watch?: (exchange: Exchange) => void;
}

/** A REST proxy that reports every request, with the rules and options that made its parts. */
export class WatchedProxy extends RestProxy<WatchedProxyConfig> {
  static override optionNames(): readonly string[] {
    return [...super.optionNames(), 'watch'];
  }

  override create(operation: Operation): Promise<ResultSet> {
    return this.watched(operation, () => super.create(operation));
  }

  override read(operation: Operation): Promise<ResultSet> {
    return this.watched(operation, () => super.read(operation));
  }

  override update(operation: Operation): Promise<ResultSet> {
    return this.watched(operation, () => super.update(operation));
  }

  override erase(operation: Operation): Promise<ResultSet> {
    return this.watched(operation, () => super.erase(operation));
  }

  private async watched(operation: Operation, run: () => Promise<ResultSet>): Promise<ResultSet> {
    // The explanation is made before the request: a saved phantom would be explained as an update.
    const explanation = await explain(this, operation);
    const start = performance.now();
    try {
      return await run();
    } finally {
      this.config.watch?.({ explanation, operation, milliseconds: performance.now() - start });
    }
  }
}
