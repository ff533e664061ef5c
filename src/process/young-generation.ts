import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The part of V8's heap for new objects. V8 doubles it repeatedly while the modules load, on Node 20 to 32 MB and on
 * Node 24 to 64 MB, and an idle process keeps that size. `main.ts` imports this file before all others, so that the
 * part keeps its first size of 2 MB until the service listens.
 *
 * @borrowed young-generation
 */
setFlagsFromString('--semi-space-growth-factor=1');

/** From now on V8 may double it as requests need it. */
export function releaseYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}

/**
 * Returns the memory of the start to the system: garbage, gaps, and on Node 22 and later the code of functions that ran
 * once. V8 itself returns it only when the process has much more garbage. It takes one or two tenths of a second.
 */
export function returnMemoryOfStart(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { type: 'major'; flavor: 'last-resort' }) => void;
  if (parseInt(process.versions.node, 10) >= 22) {
    collect({ type: 'major', flavor: 'last-resort' });
    return;
  }
  // Before Node 22 there is no such collection.
  setFlagsFromString('--compact-on-every-full-gc');
  collect();
  setFlagsFromString('--no-compact-on-every-full-gc');
}
