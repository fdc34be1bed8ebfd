// Runs PowerDNS in the folder that the first argument names, with its API on a free port of 127.0.0.1: prints `listening on PORT`, and
// ends when its standard input does. PowerDNS takes no port 0, so another port is tried until it can bind one.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , folder, key] = process.argv;
let child;
process.stdin.resume().on('end', () => {
  child?.kill('SIGKILL');
  process.exit();
});
start(20);

function start(tries) {
  const port = randomInt(10_000, 30_000);
  let log = '';
  writeFileSync(join(folder, 'pdns.conf'), configuration(port));
  child = spawn('/usr/sbin/pdns_server', [`--config-dir=${folder}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  const read = (chunk) => {
    process.stderr.write(chunk);
    log += chunk;
    if (/HTTP socket failed/.test(log)) child.kill('SIGKILL');
    else if (/Listening for HTTP requests/.test(log) && log !== '') {
      process.stdout.write(`listening on ${port}\n`);
      log = '';
    }
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  child.on('error', ({ message }) => {
    process.stderr.write(`${message}\n`);
    process.exit(1);
  });
  child.on('exit', () => (tries > 1 && log !== '' ? start(tries - 1) : process.exit(1)));
}

/** DNS itself listens on an address of the loopback network that no other start has. */
function configuration(port) {
  const dns = [127, randomInt(1, 255), randomInt(1, 255), randomInt(1, 255)].join('.');
  return `
launch=lmdb
lmdb-filename=${join(folder, 'zones.lmdb')}
lmdb-shards=1
local-address=${dns}
local-port=5300
socket-dir=${folder}
webserver=yes
webserver-address=127.0.0.1
webserver-port=${port}
webserver-allow-from=127.0.0.1
api=yes
api-key=${key}
security-poll-suffix=
guardian=no
daemon=no
`;
}
