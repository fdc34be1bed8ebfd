import { useEffect, useRef } from 'react';
import { mountInspector } from 'repose/devtools';
import clientText from '../client/client.ts?raw';
import { useClient } from '../client/client-context.js';
import { ShowCode } from '../code/show-code.js';
import text from './inspector.tsx?raw';

/** Shows what this client sends and why, its stores, and its outbox. The recorder runs since the client was opened. */
export function Inspector() {
  const { recorder, name } = useClient();
  const place = useRef<HTMLDivElement>(null);
  // #region inspector
  useEffect(() => {
    const inspector = mountInspector(recorder, { into: place.current ?? undefined, title: `Inspector of ${name}` });
    return () => inspector.dispose();
  }, [recorder, name]);
  // #endregion
  return (
    <>
      <header className="part-top inspector-top">
        <p className="quiet">Each request, part by part</p>
        <ShowCode
          title="An inspector in any application"
          parts={[
            { file: 'inspector/inspector.tsx', text, region: 'inspector' },
            { file: 'client/client.ts', text: clientText, region: 'client' },
          ]}
        />
      </header>
      <div className="inspector" ref={place} />
    </>
  );
}
