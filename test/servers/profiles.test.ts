import { readdirSync } from 'node:fs';
import { serverContract } from './contract.js';
import type { ServerProfile } from './profile.js';

const wanted = (process.env['REPOSE_SERVERS'] ?? '').split(',').filter((name) => name !== '');
const files = readdirSync(new URL('./profiles', import.meta.url)).sort();

for (const file of files) {
  const name = file.replace(/\.ts$/, '');
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { profile } = (await import(`./profiles/${name}.ts`)) as { profile: ServerProfile };
  serverContract(name, profile);
}
