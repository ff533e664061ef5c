// Loaded before the service: writes down when it listens, in milliseconds since its process began, and how many files
// of code it has read by then.
const { writeFileSync } = require('node:fs');
const { Server } = require('node:net');

const { listen } = Server.prototype;
Server.prototype.listen = function (...parameters) {
  this.once('listening', () => {
    const files = Object.keys(require.cache).length;
    const facts = { listening: performance.now(), files };
    writeFileSync(process.env.PROBE_FILE, JSON.stringify(facts));
  });
  return listen.apply(this, parameters);
};
