import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * As text, because a worker cannot load a TypeScript file. The second number in `schedstat` is the time a thread has
 * waited for a processor, in nanoseconds.
 */
const PROBE = `
'use strict';
const { readFileSync } = require('node:fs');
const http = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const { url, processId, pause } = workerData;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const threads = ['/proc/' + processId + '/task/' + processId + '/schedstat', '/proc/thread-self/schedstat'];
const waited = () => threads.reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6, 0);
const times = [];
let isOver = false;
function ask() {
  const [begun, before] = [performance.now(), waited()];
  http.get(url, { agent }, (response) => {
    response.resume().on('end', () => {
      times.push(performance.now() - begun - (waited() - before));
      if (isOver) {
        agent.destroy();
        times.sort((one, other) => one - other);
        parentPort.postMessage({
          slowest: times.at(-1),
          percentile99: times[Math.floor(0.99 * times.length)],
          answers: times.length,
        });
        parentPort.close();
      } else {
        setTimeout(ask, pause);
      }
    });
  });
}
parentPort.on('message', () => (isOver = true));
ask();
`;

export interface Liveness {
  /** The slowest answer, in milliseconds, without the time in which other programs had the processor. */
  slowest: number;
  /** 99 of 100 answers take no longer. */
  percentile99: number;
  answers: number;
}

/** Polls the liveness of a service continuously, from a separate thread. */
export class LivenessProbe {
  private readonly thread: Worker;

  constructor({ url, id: processId }: { url: string; id: number }, pauseMilliseconds = 10) {
    const workerData = { url: new URL('/health/live', url).href, processId, pause: pauseMilliseconds };
    this.thread = new Worker(PROBE, { eval: true, execArgv: [], workerData });
  }

  /** Waits for the last answer. */
  async end(): Promise<Liveness> {
    const answer = once(this.thread, 'message');
    this.thread.postMessage('end');
    const [liveness] = (await answer) as [Liveness];
    await this.thread.terminate();
    return liveness;
  }
}
