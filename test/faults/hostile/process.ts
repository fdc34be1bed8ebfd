import { once } from 'node:events';
import { startClient } from '../processes.js';
import type { HostileOptions, HostileResult } from './main.js';

/** Milliseconds within which the process must end after its report. */
const PATIENCE = 20_000;

/** Runs the hostile server and its user in a process of their own. What they print goes to a file. */
export async function runHostile(program: string, options: HostileOptions, output: string): Promise<HostileResult> {
  const child = startClient(program, options, output);
  let result: HostileResult | undefined;
  let timer: NodeJS.Timeout | undefined;
  child.on('message', (message) => {
    result = message as HostileResult;
    timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
  });
  const ends = Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
  const [[code, signal]] = (await ends) as [[number | null, NodeJS.Signals | null], unknown];
  clearTimeout(timer);
  if (result && signal) result.findings.unsettled.push('the user of the hostile server was kept alive by something');
  if (!result) throw new Error(`The hostile server and its user ended with ${code ?? signal}: look into ${output}`);
  return result;
}
