import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** As text: a worker cannot load a TypeScript file. */
const PROBE = `
'use strict';
const http = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let slowest = 0;
let answers = 0;
let isOver = false;
function ask() {
  const begun = performance.now();
  http.get(workerData.url, { agent }, (response) => {
    response.resume().on('end', () => {
      slowest = Math.max(slowest, performance.now() - begun);
      answers++;
      if (isOver) {
        agent.destroy();
        parentPort.postMessage({ slowest, answers });
        parentPort.close();
      } else {
        setTimeout(ask, workerData.pause);
      }
    });
  });
}
parentPort.on('message', () => (isOver = true));
ask();
`;

export interface Liveness {
  /** The slowest answer, in milliseconds. */
  slowest: number;
  answers: number;
}

/** Asks a service all the time whether it lives, from a thread that nothing else holds up. */
export class LivenessProbe {
  private readonly thread: Worker;

  /** @param origin of the service */
  constructor(origin: string, pauseMilliseconds = 10) {
    const workerData = { url: new URL('/health/live', origin).href, pause: pauseMilliseconds };
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
