import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WebhookReceiver } from '../support/webhook-receiver';
import type { ChildTask } from './webhook-child';

/** The state that the killed processes left. */
export interface CrashReport {
  kills: number;
  committed: number;
  /** Committed changes without a delivered event: must be empty. */
  lost: number[];
  /** Events of changes that were never committed: must be empty. */
  invented: number[];
  /** Requests beyond the first for the same event. */
  duplicates: number;
  /** Changes delivered under more than one webhook-id: must be empty. */
  renamed: number[];
}

const LONGEST_LIFE_MILLISECONDS = 800;

/**
 * Repeatedly kills a process that makes changes and delivers their events, with SIGKILL at random moments. Then a last
 * process delivers what is left, and the committed changes are compared with the deliveries.
 */
export async function crashWebhooks(databaseUrl: string, kills: number): Promise<CrashReport> {
  const receiver = await WebhookReceiver.start();
  const start = (mode: ChildTask['mode'], run: number): ChildProcess => {
    const task: ChildTask = { databaseUrl, receiverUrl: receiver.url(), mode, firstChange: run * 100_000 + 1 };
    return fork(join(__dirname, 'webhook-child.ts'), [JSON.stringify(task)], {
      execArgv: ['-r', join(__dirname, 'typescript-loader.js')],
    });
  };
  try {
    for (let run = 0; run < kills; run++) {
      const child = start('change', run);
      await messageOf(child);
      await delay(Math.random() * LONGEST_LIFE_MILLISECONDS);
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    const last = start('drain', kills);
    const ended = once(last, 'exit');
    const { committed } = (await messageOf(last)) as { committed: number[] };
    await ended;
    return report(kills, committed, receiver);
  } finally {
    await receiver.stop();
  }
}

/** The child's first message. @throws if it exits without one */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const listening = new AbortController();
  const { signal } = listening;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`The child process ended with ${String(code)} before it was done.`);
  });
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as unknown[];
    return message;
  } finally {
    ended.catch(() => undefined);
    listening.abort();
  }
}

function report(kills: number, committed: number[], receiver: WebhookReceiver): CrashReport {
  const ids = new Map<number, Set<string>>();
  for (const { id, body } of receiver.deliveries) {
    const n = Number(body.data.n);
    ids.set(n, (ids.get(n) ?? new Set()).add(id));
  }
  const known = new Set(committed);
  return {
    kills,
    committed: committed.length,
    lost: committed.filter((n) => !ids.has(n)),
    invented: [...ids.keys()].filter((n) => !known.has(n)),
    duplicates: receiver.deliveries.length - ids.size,
    renamed: [...ids].filter(([, names]) => names.size > 1).map(([n]) => n),
  };
}
