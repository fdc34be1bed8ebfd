import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useClient, useValue } from '../client/client-context.js';
import credentialsText from '../client/credentials.ts?raw';
import { ShowCode } from '../code/show-code.js';

/** The place of a pane; while its sign-in has ended, behind a dialog that asks for it. Edits stay as they are. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const { auth } = useClient();
  const isAsking = useValue(auth.state) === 'asking';
  return (
    <div className="signed-in">
      <div className="place" inert={isAsking}>
        {children}
      </div>
      {isAsking && <SignInDialog />}
    </div>
  );
}

/** Asks for a sign-in. It belongs to one pane, so that it is no dialog of the whole page. */
function SignInDialog() {
  const { auth } = useClient();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const heading = useId();
  useEffect(() => button.current?.focus(), []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(await auth.signIn());
    setBusy(false);
  };
  return (
    <div className="sign-in-layer">
      <div role="dialog" aria-labelledby={heading}>
        <form className="sign-in" onSubmit={submit}>
          <h3 id={heading}>Sign in again, {auth.name}</h3>
          <p>Your sign-in has ended. Nothing is lost: what you were doing goes on as soon as you are back.</p>
          {failure && (
            <p className="notice" role="alert">
              {failure}
            </p>
          )}
          <div className="sign-in-actions">
            <ShowCode
              title="A sign-in that expires and renews"
              parts={[{ file: 'client/credentials.ts', text: credentialsText, region: 'credentials' }]}
            />
            <button ref={button} type="submit" className="primary" aria-disabled={isBusy}>
              {isBusy ? 'Signing in' : `Sign in as ${auth.name}`}
            </button>
          </div>
        </form>
      </div>
    </div>
  );
}
