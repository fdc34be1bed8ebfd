import { childrenOf } from 'repose';
import { useStore } from 'repose/react';
import { useClient } from '../client/client-context.js';
import { ShowCode } from '../code/show-code.js';
import { FailedRead } from '../controls/failed-read.js';
import type { Change, Order } from '../models.js';
import modelsText from '../models.ts?raw';
import { moment } from './words.js';

/** The changes of an order, with who made them and when: the newest change first, also those that others are making. */
export function History({ order }: { readonly order: Order }) {
  const { models } = useClient();
  const { records, loading, error, retry } = useStore(childrenOf(order, models.Change));
  const newest = [...records].sort((one, other) => other.id - one.id);
  return (
    <section className="history">
      <header className="part-top">
        <h4>History</h4>
        <ShowCode
          title="The history of a record, live"
          parts={[{ file: 'models.ts', text: modelsText, region: 'change' }]}
        />
      </header>
      {error && <FailedRead message={error.userMessage} retry={retry} />}
      <ol>
        {newest.map((change) => (
          <li key={change.$.key}>
            <span className="avatar" aria-hidden="true">
              {change.who?.[0]}
            </span>
            <p>
              <strong>{change.who}</strong> {sentence(change)}
              <br />
              <time className="quiet" dateTime={change.when?.toISOString()}>
                {moment(change.when)}
              </time>
            </p>
          </li>
        ))}
      </ol>
      {records.length === 0 && !error && (
        <p className="empty" aria-busy={loading}>
          {loading ? 'Loading the history' : 'Nothing has changed since the order was placed.'}
        </p>
      )}
    </section>
  );
}

const NAMES: Readonly<Record<string, string>> = { customerId: 'customer', categoryId: 'category' };

function sentence({ subject = 'order', field = '', before, after }: Change) {
  if (field === 'added') return `added ${after === null ? `the ${subject}` : `the ${subject} ${after}`}`;
  if (field === 'removed') return `removed the ${subject} ${before ?? ''}`;
  const name = NAMES[field] ?? field;
  const whose = subject === 'order' ? name : `${name} of the ${subject}`;
  return (
    <>
      changed {whose} from <q>{before ?? 'none'}</q> to <q>{after ?? 'none'}</q>
    </>
  );
}
