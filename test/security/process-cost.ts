import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** The kernel counts the time of processes in hundredths of a second. */
const TICK_MILLISECONDS = 10;

const MB = 1_048_576;

/** The cost of an attempt for the service. */
export interface Cost {
  /** All threads of the process. */
  cpuMilliseconds: number;
  /** MiB of memory at the maximum, and the increase. */
  memory: number;
  memoryAdded: number;
  /** MiB of additional disk space. */
  diskAdded: number;
  /** Tokens and messages counted for the attacker. */
  counted: number;
  /** The longest wait of another client for `/health/live`. */
  healthMilliseconds: number;
}

interface Readings {
  disk(): Promise<number>;
  counted(): Promise<number>;
}

/** Continuously measures the latency for another client, in a separate thread because the attacker is busy. */
const WATCH = `
const { parentPort, workerData } = require('node:worker_threads');
const { Agent, get } = require('node:http');
const { readFileSync } = require('node:fs');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let slowest = 0;
let most = 0;
const ask = () => new Promise((resolve, reject) => {
  const asked = performance.now();
  get(workerData.url, { agent }, (response) => response.resume().once('end', () => {
    slowest = Math.max(slowest, performance.now() - asked);
    most = Math.max(most, Number(/VmRSS:\\s+(\\d+)/.exec(readFileSync(workerData.status, 'utf8'))[1]) / 1024);
    setTimeout(resolve, 10);
  })).once('error', reject);
});
(async () => { for (;;) await ask(); })();
parentPort.on('message', () => {
  parentPort.postMessage({ slowest, most });
  slowest = 0;
  most = 0;
});
`;

/** Measures the cost of attempts for a process, and the latency for other clients during them. */
export class ProcessCost {
  private watch: Worker | null = null;

  constructor(
    private readonly processId: number,
    private readonly origin: string,
    private readonly readings: Readings,
  ) {}

  async of<Result>(attempt: () => Promise<Result>): Promise<{ cost: Cost; result: Result }> {
    const before = await this.read();
    await this.seen();
    const result = await attempt();
    const { slowest, most } = await this.seen();
    const after = await this.read();
    const memory = Math.max(most, after.memory);
    const cost = {
      cpuMilliseconds: after.cpu - before.cpu,
      memory,
      memoryAdded: memory - before.memory,
      diskAdded: (after.disk - before.disk) / MB,
      counted: after.counted - before.counted,
      healthMilliseconds: slowest,
    };
    return { cost, result };
  }

  cpuMilliseconds(): number {
    // The text before it is the name of the program, which may contain spaces and brackets.
    const fields = readFileSync(`/proc/${this.processId}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MILLISECONDS;
  }

  /**
   * For the thread that answers requests, as exactly as the kernel reports it: excluding the time in which other
   * threads had the processor.
   */
  answeringMilliseconds(): number {
    const [nanoseconds] = readFileSync(`/proc/${this.processId}/task/${this.processId}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  }

  /** MiB of memory. */
  memory(): number {
    const status = readFileSync(`/proc/${this.processId}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
  }

  async close(): Promise<void> {
    await this.watch?.terminate();
  }

  private async read(): Promise<{ cpu: number; memory: number; disk: number; counted: number }> {
    const disk = await this.readings.disk();
    const counted = await this.readings.counted();
    return { cpu: this.cpuMilliseconds(), memory: this.memory(), disk, counted };
  }

  /** Samples since the last call. */
  private async seen(): Promise<{ slowest: number; most: number }> {
    const workerData = { url: `${this.origin}/health/live`, status: `/proc/${this.processId}/status` };
    const watch = (this.watch ??= new Worker(WATCH, { eval: true, workerData, execArgv: [] }));
    watch.postMessage('');
    const [seen] = (await once(watch, 'message')) as [{ slowest: number; most: number }];
    return seen;
  }
}
