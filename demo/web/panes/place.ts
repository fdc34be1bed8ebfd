import { useSyncExternalStore } from 'react';

/** The content of a pane: `orders`, `order/17`, `categories`, `outbox`, `inspector`. */
export type Place = string;

const START: Place = 'orders';

function read(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1));
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

/** The place that a pane shows. It stands in the hash of the address, so that a reload and the button "Back" keep it. */
export function usePlace(pane: string): readonly [Place, (place: Place) => void] {
  const place = useSyncExternalStore(subscribe, () => read().get(pane) ?? START);
  return [place, (next) => goTo(pane, next)];
}

/** Shows another place in a pane. */
export function goTo(pane: string, place: Place): void {
  const places = read();
  places.set(pane, place);
  location.hash = String(places).replaceAll('%2F', '/');
}
