import type { ReactNode } from 'react';

/** A label, its input, and below it the errors of the model and of the server. */
export function Field(props: {
  label: string | undefined;
  id: string;
  errorId: string;
  errors: readonly { readonly message: string }[] | undefined;
  children: ReactNode;
}) {
  const { label, id, errorId, errors = [], children } = props;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      <em id={errorId}>{errors.map(({ message }) => message).join(', ')}</em>
    </div>
  );
}
