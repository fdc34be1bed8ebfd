import { useEffect, useState } from 'react';
import type { Client } from '../client/client.js';
import { ControlBar } from '../controls/control-bar.js';
import { ThemeSwitch } from '../controls/theme-switch.js';
import { Pane } from './pane.js';

/** The application: two people who work on the same orders. */
export function App({ clients }: { readonly clients: readonly Client[] }) {
  const [shown, setShown] = useState(clients[0]?.name);
  // The outbox keeps what was saved over a reload; edits and files that are on their way would be lost.
  useEffect(() => {
    const warn = (event: Event) => {
      const isLost = clients.some(
        ({ session, uploads }) => session.status.get().pending + uploads.list.get().length > 0,
      );
      if (isLost) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [clients]);
  return (
    <>
      <header className="top">
        <h1>
          Repose <span>two people, one server, 100,000 orders</span>
        </h1>
        <ControlBar clients={clients} />
        <ThemeSwitch />
      </header>
      <nav className="pane-switch" aria-label="People">
        {clients.map(({ name }) => (
          <button key={name} type="button" aria-pressed={shown === name} onClick={() => setShown(name)}>
            {name}
          </button>
        ))}
      </nav>
      <main className="panes">
        {clients.map((client) => (
          <Pane key={client.name} client={client} isShown={client.name === shown} />
        ))}
      </main>
    </>
  );
}
