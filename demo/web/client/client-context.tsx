import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Client } from './client.js';
import type { Value } from './value.js';

const ClientContext = createContext<Client | undefined>(undefined);

/** Hands a client to the components of its pane. */
export const ClientProvider = ClientContext.Provider;

/** The client of the pane. */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error('There is no client around this component');
  return client;
}

/** The present value. */
export function useValue<T>(value: Pick<Value<T>, 'get' | 'subscribe'>): T {
  return useSyncExternalStore(value.subscribe, value.get);
}
