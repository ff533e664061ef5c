import { setFlagsFromString } from 'node:v8';

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
