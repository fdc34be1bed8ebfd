import { type Explanation, type Operation, RestProxy, type RestProxyConfig, type ResultSet } from 'repose';

/** One request and how it ended. */
export interface Exchange {
  /** The request, part by part, as it stood when it was sent. */
  readonly explanation: Explanation;
  /** With its `response`, where one came, and its `error`, where it failed. */
  readonly operation: Operation;
  readonly milliseconds: number;
}

/** Options of a watched proxy. */
export interface WatchedProxyConfig extends RestProxyConfig {
  /** Hears of every request when it has ended, before whoever waits for it. */
  watch?: (exchange: Exchange) => void;
}

/** A REST proxy that tells of every request what made each of its parts. */
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
    // Before it runs: a phantom that was saved would explain as an update.
    const explanation = await this.explain(operation);
    const start = performance.now();
    try {
      return await run();
    } finally {
      this.config.watch?.({ explanation, operation, milliseconds: performance.now() - start });
    }
  }
}
