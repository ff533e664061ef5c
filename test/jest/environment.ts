import 'reflect-metadata';

/** What the tools need of the environment. All else could be a setting from a developer's shell, and goes. */
const kept = /^(PATH|HOME|USER|LANG|LC_.*|LD_.*|TMPDIR|TZ|CI|NODE_.*|JEST_.*|TEST_.*|XDG_.*|npm_.*)$/;

for (const name of Object.keys(process.env)) {
  if (!kept.test(name)) delete process.env[name];
}
process.env.NODE_ENV = 'test';
