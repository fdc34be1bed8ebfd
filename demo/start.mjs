// Entry of `npm start` and, with `--tour`, of `npm run tour`. It has no syntax and no import that an old Node cannot load, so that an old Node prints one clear message.
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
      // The settings of the project map the name of the package to its source; the demo runs the built package instead.
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
  // A failed build has already printed its messages; for any other failure the stack is printed.
  else console.error(/^The build failed/.test(error.message) ? error.message : error.stack);
  process.exitCode = 1;
}
