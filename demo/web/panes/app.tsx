import { useEffect, useState } from 'react';
import { type Client, openClient } from '../client/client.js';
import { ControlBar } from '../controls/control-bar.js';
import { ThemeSwitch } from '../controls/theme-switch.js';
import { Pane } from './pane.js';

const NAMES = ['Alice', 'Bob'] as const;

/** Opens a client for each pane, and closes them with the page. */
function useClients(): readonly Client[] {
  const [clients, setClients] = useState<readonly Client[]>([]);
  useEffect(() => {
    const opened = NAMES.map((name) => openClient({ name }));
    setClients(opened);
    return () => {
      setClients([]);
      for (const client of opened) void client.dispose();
    };
  }, []);
  return clients;
}

/** The application: two people who work on the same orders. */
export function App() {
  const clients = useClients();
  const [shown, setShown] = useState<string>(NAMES[0]);
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
        {NAMES.map((name) => (
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
