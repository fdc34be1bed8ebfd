import { useEffect, useRef } from 'react';
import { mountInspector } from 'repose/devtools';
import { useClient } from '../client/client-context.js';

/** Shows what this client sends and why, its stores, and its outbox. The recorder runs since the client was opened. */
export function Inspector() {
  const { recorder, name } = useClient();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const inspector = mountInspector(recorder, { into: place.current ?? undefined, title: `Inspector of ${name}` });
    return () => inspector.dispose();
  }, [recorder, name]);
  return <div className="inspector" ref={place} />;
}
