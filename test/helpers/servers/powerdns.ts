import { fileURLToPath } from 'node:url';
import { launch, type RealServer } from './real-server.js';

/** The header by which PowerDNS knows its clients. */
export const POWERDNS_KEY = { 'X-API-Key': 'key-of-the-tests' } as const;

/** The numbers of the zones with which PowerDNS starts. */
const NUMBERS = Array.from({ length: 12 }, (_, index) => index + 1);
/** The zones with which PowerDNS starts. */
export const ZONES = NUMBERS.map((n) => {
  const name = `zone${String(n).padStart(2, '0')}.test.`;
  return { id: name, name, kind: n % 3 === 0 ? 'Master' : 'Native', account: n % 2 === 0 ? 'even' : '' };
});

/** PowerDNS Authoritative with its HTTP API. Needs the Debian packages `pdns-server` and `pdns-backend-lmdb`. */
export async function startPowerDns(): Promise<RealServer> {
  const server = await launch({
    name: 'PowerDNS (Debian packages pdns-server and pdns-backend-lmdb)',
    probe: '/api/v1/servers',
    async prepare(folder) {
      const script = fileURLToPath(new URL('./powerdns-run.mjs', import.meta.url));
      return { command: process.execPath, args: [script, folder, POWERDNS_KEY['X-API-Key']] };
    },
  });
  for (const { id: _, ...zone } of ZONES) {
    const body = JSON.stringify({ ...zone, nameservers: [] });
    const init = { method: 'POST', headers: POWERDNS_KEY, body };
    const response = await fetch(`${server.url}/api/v1/servers/localhost/zones`, init);
    if (!response.ok) throw new Error(`PowerDNS did not take a zone: ${await response.text()}`);
    await response.arrayBuffer();
  }
  return server;
}

/** The version of a running PowerDNS. */
export async function powerDnsVersion({ url }: RealServer): Promise<string> {
  const response = await fetch(`${url}/api/v1/servers/localhost`, { headers: POWERDNS_KEY });
  return ((await response.json()) as { version: string }).version;
}
