import { type FormEvent, useState } from 'react';
import type { SignIn } from '../api/sign-in';

/** The page of the sign-in, and the dialog when it has ended. */
export function SignInForm(props: { signIn: SignIn; name?: string; onSignOut?: () => unknown }) {
  const { signIn, name, onSignOut } = props;
  const [problem, setProblem] = useState<string>();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setProblem(await signIn.signIn(name ?? String(form.get('name')), String(form.get('password'))));
  };
  return (
    <form className="sign-in" onSubmit={submit}>
      <h1>{name ? `Sign in again, ${name}` : 'Sign in'}</h1>
      {!name && (
        <label>
          Name <input name="name" autoComplete="username" required />
        </label>
      )}
      <label>
        Password <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <button type="submit">Sign in</button>
      {onSignOut && (
        <button type="button" onClick={onSignOut}>
          Sign out
        </button>
      )}
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}
