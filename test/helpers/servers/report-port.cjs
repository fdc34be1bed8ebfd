// Preload for servers that cannot say which port they were given: `node -r ./report-port.cjs SERVER --port 0`.
const { Server } = require('node:net');

const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  this.once('listening', () => process.stdout.write(`listening on ${this.address().port}\n`));
  return listen.apply(this, args);
};

// Ends with the test run, also when that was killed.
process.stdin.on('end', () => process.exit()).resume();
