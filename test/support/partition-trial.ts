import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from './eventually';
import { call } from './http';
import type { CutStore } from './servers/cut-store';
import type { Swallowed } from './servers/tcp-relay';
import { type StoreReport, tryStore } from './store-trial';

const WAYS: readonly Swallowed[] = ['requests', 'answers', 'both'];

/** Between two partitions, in milliseconds; recent statements are running when the next one starts. */
const SOUND_MILLISECONDS = 1_500;

/** Shorter than operators set it, so that statements are abandoned in short partitions too. */
const STATEMENT_MILLISECONDS = 1_000;

/** The time within which readiness must report that the store is down, in seconds. */
const PROMISED_SECONDS = 10;

/** Cuts one of two instances off from their shared store, in one direction, the other one, and both. */
export function tryPartitions(store: CutStore, rounds: number, cutMilliseconds: number): Promise<StoreReport> {
  const cuts = Array.from({ length: rounds }, () => WAYS).flat();
  return tryStore({
    urls: store.urls.map((url) => `${url}?wait=1`) as [string, string],
    seconds: (cuts.length * (SOUND_MILLISECONDS + cutMilliseconds)) / 1_000,
    statementMilliseconds: STATEMENT_MILLISECONDS,
    disturb: async ([cutOff]) => {
      const ready = async (): Promise<number> => (await call(`${cutOff!.origin}/health/ready`)).status;
      for (const way of cuts) {
        await delay(SOUND_MILLISECONDS);
        await store.swallow(way);
        await Promise.all([delay(cutMilliseconds), eventually(async () => (await ready()) === 503, PROMISED_SECONDS)]);
        await store.heal();
        await eventually(async () => (await ready()) === 200);
      }
    },
  });
}
