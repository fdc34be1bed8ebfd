// What `npm start` runs. No syntax and no import that an old Node would stumble over: it has to come to its one clear line.
const node = process.versions.node.split('.');
if (node[0] < 20 || (node[0] === '20' && node[1] < 19)) {
  console.error(`The demo needs Node 20.19 or later; this is Node ${process.versions.node}`);
  process.exitCode = 1;
} else {
  start().catch(fail);
}

function start() {
  const busy = process.stdout.isTTY ? 'Building …' : '';
  process.stdout.write(busy);
  return import('../scripts/ensure-built.mjs')
    .then((built) => {
      built.default();
      if (busy) process.stdout.write('\r\u001b[K');
      // The project's own settings map the package's name to its source; the demo runs what is published.
      process.env.TSX_TSCONFIG_PATH = `${import.meta.dirname}/tsconfig.json`;
      return import('tsx/esm/api');
    })
    .then((tsx) => {
      tsx.register();
      return import('./main.ts');
    });
}

function fail(error) {
  const missing = error.code === 'MODULE_NOT_FOUND' || error.code === 'ERR_MODULE_NOT_FOUND';
  if (missing) console.error(`Something is not installed; run \`npm ci\` first (${error.message.split('\n')[0]})`);
  // The builder has said where and why; where we failed ourselves, the stack says it.
  else console.error(/^The build failed/.test(error.message) ? error.message : error.stack);
  process.exitCode = 1;
}
