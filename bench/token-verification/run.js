// Measures the cost of each kind of secret in jsonwebtoken; see README.md.
// `node bench/token-verification/run.js`
const { createSecretKey, randomBytes } = require('node:crypto');
const { sign, verify } = require('jsonwebtoken');

const ROUNDS = 4;
const ROUND_MILLISECONDS = 1_000;

const bytes = randomBytes(32);
const text = bytes.toString('base64');
const secrets = {
  string: text,
  Buffer: Buffer.from(text),
  KeyObject: createSecretKey(Buffer.from(text)),
};
const token = sign({ sub: '1', sid: 1, typ: 'access' }, secrets.KeyObject, { algorithm: 'HS256', expiresIn: '1h' });

function verifyFor(secret, milliseconds) {
  const started = performance.now();
  const { user: cpuBefore } = process.cpuUsage();
  let verified = 0;
  while (performance.now() - started < milliseconds) {
    verify(token, secret, { algorithms: ['HS256'] });
    verified++;
  }
  const seconds = (performance.now() - started) / 1000;
  return { rate: verified / seconds, cpuMicroseconds: (process.cpuUsage().user - cpuBefore) / verified };
}

const results = Object.fromEntries(Object.keys(secrets).map((name) => [name, []]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, secret] of Object.entries(secrets)) {
    const result = verifyFor(secret, ROUND_MILLISECONDS);
    // The first round warms up the compiler.
    if (round > 0) {
      results[name].push(result);
    }
  }
}
for (const [name, rounds] of Object.entries(results)) {
  const best = rounds.reduce((first, second) => (first.cpuMicroseconds < second.cpuMicroseconds ? first : second));
  const rates = rounds.map(({ rate }) => Math.round(rate)).join(', ');
  console.log(`${name.padEnd(9)} ${best.cpuMicroseconds.toFixed(1)} µs CPU each at best, tokens/s: ${rates}`);
}
