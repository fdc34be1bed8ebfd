import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Kit } from '../kit.js';

/** The libraries that Repose is compared with, by name. */
export const peers: Readonly<Record<string, () => Promise<Kit>>> = {
  'tanstack-db': async () => (await import('./tanstack-db.js')).tanstackDb(),
  rtk: async () => (await import('./rtk.js')).rtk(),
  mobx: async () => (await import('./mobx.js')).mobx(),
  backbone: async () => (await import('./backbone.js')).backbone(),
  orbit: async () => (await import('./orbit.js')).orbit(),
  dstore: async () => (await import('./dstore.js')).dstore(),
};

export function peersAreInstalled(): boolean {
  return existsSync(path.join(import.meta.dirname, 'node_modules', '@tanstack', 'db'));
}
