import 'reflect-metadata';

/** Variables that the tools need. All others could be settings in a developer's shell, and are removed. */
const kept = /^(PATH|HOME|USER|LANG|LC_.*|LD_.*|TMPDIR|TZ|CI|NODE_.*|JEST_.*|TEST_.*|XDG_.*|npm_.*)$/;

for (const name of Object.keys(process.env)) {
  if (!kept.test(name)) delete process.env[name];
}
process.env.NODE_ENV = 'test';

/** More than any file takes, even on a machine that stalls for a while. */
const LONGEST_FILE_MILLISECONDS = 120_000;

// Quotas and statistics use UTC days, and tests use one day as today: no file starts shortly before midnight.
const untilMidnight = 86_400_000 - (Date.now() % 86_400_000);
if (untilMidnight < LONGEST_FILE_MILLISECONDS) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, untilMidnight + 1);
}
