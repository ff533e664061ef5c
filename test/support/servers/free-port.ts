import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports for outgoing connections (from 32768 on Linux), so that none of those takes a server's port while it
 * is down for a test.
 */
const LOWEST_PORT = 10_000;
const HIGHEST_PORT = 32_000;

/** A TCP port on 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    if (await isFree(port)) {
      return port;
    }
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
