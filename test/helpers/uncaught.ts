import { onTestFinished } from 'vitest';

/** Collects the errors that nobody has caught. */
export function uncaught(): unknown[] {
  const errors: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => errors.push(error));
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const each of listeners) process.on('uncaughtException', each);
  });
  return errors;
}
