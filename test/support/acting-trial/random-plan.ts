import { randomInt, randomUUID } from 'node:crypto';
import type { Treatment } from './effect-server';
import type { Plan, PlannedCall } from './planned-model';
import { TOOLS } from './tool-kinds';

/** Most calls succeed; the others fail in every way. */
const WAYS: readonly Treatment[] = [
  ...Array.from({ length: 8 }, () => 'ok' as const),
  ...(['slow', 'slow', 'slow', 'refuse', 'huge', 'broken', 'cut', 'gone', 'hang'] as const),
];

/** One to three rounds of one to three calls. */
export function randomPlan(): Plan {
  return Array.from({ length: 1 + randomInt(3) }, () => Array.from({ length: 1 + randomInt(3) }, randomCall));
}

function randomCall(): PlannedCall {
  return { tool: oneOf(TOOLS), what: randomUUID(), how: oneOf(WAYS) };
}

export function oneOf<Value>(values: readonly Value[]): Value {
  return values[randomInt(values.length)] as Value;
}
