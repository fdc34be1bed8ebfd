// Loaded now, so that the first connection of a test waits for no file.
import 'eventsource-parser';
import type { Model, Store } from 'repose';
import { type Feed, type FeedChange, type FeedConfig, type FeedConnection, feed } from 'repose/live';
import { type ManualClock, manualClock } from '../helpers/manual-clock.js';

/** Lets everything run that waits for nothing but other work. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A connection that a test operates. */
export interface TestConnection extends FeedConnection<never> {
  end(error?: Error): void;
}

/** A feed whose connections a test operates. */
export interface TestFeed {
  readonly feed: Feed;
  readonly clock: ManualClock;
  readonly connections: readonly TestConnection[];
  /** The connection that was opened last. */
  readonly connection: TestConnection;
  /** Sends changes, and waits until they were taken. */
  send(changes: readonly FeedChange[], cursor?: string): Promise<void>;
}

export async function startFeed<M extends Model>(
  store: Store<M>,
  config: Partial<FeedConfig<M>> = {},
): Promise<TestFeed> {
  const clock = manualClock();
  const connections: TestConnection[] = [];
  const started = feed(store, {
    ...{ clock, random: () => 1 },
    open: (connection) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve());
        connections.push({ ...connection, end } as never);
      }),
    ...config,
  });
  await settled();
  return {
    ...{ feed: started, clock, connections },
    get connection() {
      return connections.at(-1) as TestConnection;
    },
    async send(changes, cursor) {
      connections.at(-1)?.sink.changes(changes, cursor);
      clock.advance(50);
      await settled();
    },
  };
}
