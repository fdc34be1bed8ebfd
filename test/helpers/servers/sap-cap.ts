import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureServer } from '../../../scripts/ensure-servers.mjs';
import { installedVersion, REPORT_PORT } from './node-app.js';
import { launch, type RealServer } from './real-server.js';
import { USERS } from './seed.js';

/** The folder with the packages of all servers over SQLite. */
const FOLDER = 'sqlite';
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The rows of `Items`: more than two, which is the most that the service sends in one response. */
export const ITEMS = [1, 2, 3].map((number) => ({
  ID: `00000000-0000-4000-8000-00000000000${number}`,
  title: `Item ${number}`,
  value: `v${number}`,
  amount: `${number}.5`,
  day: `2026-01-0${number}`,
  opens: `0${number}:00:00`,
  done: number === 1,
  owner_id: 1,
}));

/** SAP CAP with an OData 4 service of `Users`, `NamedUsers` and `Items` at `/odata/v4/shop`, over a database in memory. */
export function startSapCap(): Promise<RealServer> {
  return launch({
    name: 'sap-cap',
    probe: '/odata/v4/shop/Users(1)',
    async prepare(data) {
      const modules = join(await ensureServer(FOLDER), 'node_modules');
      await symlink(modules, join(data, 'node_modules'), 'junction');
      await Promise.all(['srv', 'db/data'].map((folder) => mkdir(join(data, folder), { recursive: true })));
      await copyFile(here('./sap-cap/schema.cds'), join(data, 'srv/shop.cds'));
      await copyFile(here('./sap-cap/service.cjs'), join(data, 'srv/shop.js'));
      await writeFile(join(data, 'package.json'), JSON.stringify(SETTINGS));
      await writeFile(join(data, 'db/data/shop-Users.csv'), csv(USERS));
      await writeFile(join(data, 'db/data/shop-Items.csv'), csv(ITEMS));
      const server = join(data, 'node_modules/@sap/cds/bin/serve.js');
      // The paths of modules stay below the data folder, where the server looks for the others.
      const links = ['--preserve-symlinks', '--preserve-symlinks-main'];
      return { command: process.execPath, args: [...links, '-r', REPORT_PORT, server, 'all'] };
    },
  });
}

export function sapCapVersion(): Promise<string> {
  return installedVersion(FOLDER, '@sap/cds');
}

const SETTINGS = {
  name: 'shop',
  version: '1.0.0',
  dependencies: { '@sap/cds': '*', '@cap-js/sqlite': '*' },
  cds: {
    requires: { db: { kind: 'sqlite', credentials: { url: ':memory:' } }, auth: 'dummy' },
    // Long numbers are texts in answers, so that they keep their digits.
    features: { ieee754compatible: true },
    log: { levels: { cds: 'warn' } },
  },
};

function csv(rows: readonly object[]): string {
  // In quotes, the flags true and false would be texts.
  const cell = (value: unknown) =>
    typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : String(value ?? '');
  const lines = rows.map((row) => Object.values(row).map(cell).join(','));
  return [Object.keys(rows[0] as object).join(','), ...lines].join('\n');
}
