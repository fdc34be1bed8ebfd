import { useEffect, useState } from 'react';
import type { Client } from '../client/client.js';
import clientText from '../client/client.ts?raw';
import networkText from '../client/network.ts?raw';
import { changeElsewhere, FAILURES, type Failure, setSituation, WELL } from '../client/situations.js';
import situationsText from '../client/situations.ts?raw';
import { ShowCode } from '../code/show-code.js';

/** The situations that a client is in. */
interface Situations {
  readonly offline: boolean;
  readonly slow: boolean;
  readonly broken: Failure | null;
}

const CALM: Situations = { offline: false, slow: false, broken: null };
const DELAY = 2000;
const BOTH = 'both';

/** Makes trouble for one client, or for both: no network, a slow or broken server, the end of a sign-in, changes of somebody else. */
export function ControlBar({ clients }: { readonly clients: readonly Client[] }) {
  const [target, setTarget] = useState(BOTH);
  const [situations, setSituations] = useState<Readonly<Record<string, Situations>>>({});
  const [message, setMessage] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const targets = clients.filter(({ name }) => target === BOTH || name === target);
  const of = (name: string): Situations => situations[name] ?? CALM;
  const [first] = targets;
  const shown = first ? of(first.name) : CALM;
  const all = (test: (each: Situations) => boolean) =>
    targets.length > 0 && targets.every(({ name }) => test(of(name)));

  // The server forgets the situations of a page that is loaded again.
  useEffect(() => {
    for (const client of clients) run(() => setSituation(client, WELL), setMessage);
  }, [clients]);

  // A sentence about what was on the screen is over when something else is shown.
  useEffect(() => {
    const clear = () => setMessage('');
    addEventListener('hashchange', clear);
    return () => removeEventListener('hashchange', clear);
  }, []);

  // A sign-in ends the situation in which the server refuses it.
  useEffect(() => {
    const stops = clients.map(({ name, auth }) =>
      auth.state.subscribe(() => {
        if (auth.state.get() !== 'signed-in') return;
        setSituations((before) => {
          const of = before[name];
          return of?.broken === '401' ? { ...before, [name]: { ...of, broken: null } } : before;
        });
      }),
    );
    return () => {
      for (const stop of stops) stop();
    };
  }, [clients]);

  const change = (part: Partial<Situations>) => {
    const next = Object.fromEntries(targets.map(({ name }) => [name, { ...of(name), ...part }]));
    setSituations({ ...situations, ...next });
    setMessage('');
    for (const client of targets) {
      const { offline, slow, broken } = next[client.name] as Situations;
      client.network.switchOff(offline);
      run(() => setSituation(client, { slow: slow ? DELAY : 0, broken }), setMessage);
    }
  };

  const signOut = () => {
    for (const { auth } of targets) auth.signOut();
  };
  const isOffline = all(({ offline }) => offline);
  const isSlow = all(({ slow }) => slow);
  return (
    <div className="controls" role="toolbar" aria-label="Make trouble" data-open={isOpen}>
      <button type="button" className="controls-fold" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        Make trouble
      </button>
      <label>
        <select aria-label="For whom" value={target} onChange={(event) => setTarget(event.target.value)}>
          <option value={BOTH}>For both</option>
          {clients.map(({ name }) => (
            <option key={name} value={name}>
              For {name}
            </option>
          ))}
        </select>
      </label>
      <button type="button" aria-pressed={isOffline} onClick={() => change({ offline: !isOffline })}>
        Offline
      </button>
      <button type="button" aria-pressed={isSlow} onClick={() => change({ slow: !isSlow })}>
        Slow
      </button>
      <label>
        <span className="visually-hidden">The server</span>
        <select
          data-broken={shown.broken !== null}
          value={shown.broken ?? ''}
          onChange={(event) => change({ broken: (event.target.value || null) as Failure | null })}
        >
          <option value="">Server works</option>
          {FAILURES.map(([key, label]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
      <button type="button" onClick={() => location.reload()}>
        Reload now
      </button>
      <button
        type="button"
        onClick={() =>
          run(async () => {
            const id = await changeElsewhere(targets.flatMap(({ onScreen }) => onScreen.get()));
            setMessage(id === undefined ? 'There is no order on the screen.' : `Carol has changed order ${id}.`);
          }, setMessage)
        }
      >
        Change something elsewhere
      </button>
      <ShowCode
        title="A client of its own for each person"
        parts={[
          { file: 'client/client.ts', text: clientText, region: 'client' },
          { file: 'client/network.ts', text: networkText, region: 'network' },
          { file: 'client/situations.ts', text: situationsText, region: 'elsewhere' },
        ]}
      />
      <p role="status" className="controls-message">
        {message}
      </p>
    </div>
  );
}

/** Runs something, and shows why it failed. */
function run(action: () => Promise<void>, show: (message: string) => void): void {
  action().catch(() => show('The server cannot be reached. Is it running?'));
}
