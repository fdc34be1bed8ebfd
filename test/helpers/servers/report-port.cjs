// Preload for servers that bind every address, or that cannot say which port they were given: `node -r ./report-port.cjs SERVER`.
// Whatever address a server asks for, it gets a free port of 127.0.0.1.
const { Server } = require('node:net');

const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  this.once('listening', () => process.stdout.write(`listening on ${this.address().port}\n`));
  const callback = args.find((arg) => typeof arg === 'function');
  return listen.call(this, { port: 0, host: '127.0.0.1' }, callback);
};

// Ends with the test run, also when that was killed.
process.stdin.on('end', () => process.exit()).resume();
