import { isDataError } from 'repose';

/** Why something has failed, for the person at the screen: the sentence of the error, and what the server says about fields. */
export function sentenceOf(error: unknown): string {
  if (!isDataError(error)) return 'That was not possible.';
  const { userMessage } = error;
  if (error.code !== 'validation') return userMessage;
  const about = error.issues.map(({ path, message }) => [...path.map(String), message].join(' '));
  const more = about.filter((text) => !userMessage.includes(text));
  return more.length > 0 ? `${userMessage.replace(/\.$/, '')}: ${more.join(', ')}.` : userMessage;
}
