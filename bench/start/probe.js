// Loaded before the service. It records when the service listens, in milliseconds since the process started, and how
// many code files it has read by then. After SIGUSR2, it records in the same file how much memory the process needs
// without garbage.
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { Server } = require('node:net');

/** Time for V8 to return memory to the system, in milliseconds. */
const RETURN_MILLISECONDS = 1_000;

const { listen } = Server.prototype;
Server.prototype.listen = function (...parameters) {
  this.once('listening', () => {
    const files = Object.keys(require.cache).length;
    writeFacts({ listening: performance.now(), files });
  });
  return listen.apply(this, parameters);
};

process.on('SIGUSR2', () => {
  // The first run leaves objects that finalizers still reference.
  globalThis.gc();
  globalThis.gc();
  setTimeout(() => {
    const facts = JSON.parse(readFileSync(process.env.PROBE_FILE, 'utf8'));
    const { rss: collected, heapUsed, external } = process.memoryUsage();
    writeFacts({ ...facts, collected, living: heapUsed + external });
  }, RETURN_MILLISECONDS);
});

/** Atomic, because the measurement may read the file at any time. */
function writeFacts(facts) {
  const file = process.env.PROBE_FILE;
  writeFileSync(`${file}.new`, JSON.stringify(facts));
  renameSync(`${file}.new`, file);
}
