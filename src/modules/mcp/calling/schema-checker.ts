import { Worker } from 'node:worker_threads';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { loadPackage } from '../../../common/load-package';
import { withTimeout } from '../../../common/time';
import type { ToolSchema } from '../../../common/tools/agent-tool.decorator';

/** Time for one check. A pattern of a hostile server can take years. */
const CHECK_MILLISECONDS = 1_000;

const MOST_MEGABYTES = 64;

/** What the arguments break, in words; null: nothing. */
type Verdict = string | null;

/**
 * Checks arguments by the schemas of servers: in a thread of its own, which ends when it takes too long, and without making code
 * of a schema.
 */
@Injectable()
export class SchemaChecker implements OnApplicationShutdown {
  /** Not configuration: tests on slow machines set it. */
  checkMilliseconds = CHECK_MILLISECONDS;
  private readonly logger = new Logger(SchemaChecker.name);
  private worker: Worker | null = null;
  private answer: (verdict: Verdict) => void = () => undefined;
  private last: Promise<unknown> = Promise.resolve();

  /** One after the other: so it is known which one takes too long. */
  check(schema: Record<string, unknown>, value: unknown): Promise<Verdict> {
    const checking = this.last.then(() => this.checkNow(schema, value));
    this.last = checking;
    return checking;
  }

  /** The schema of a server, in the form that tools have theirs. */
  schemaOf(schema: Record<string, unknown>): ToolSchema {
    const validate: ToolSchema['~standard']['validate'] = async (value) => {
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      const fault = isObject ? await this.check(schema, value) : 'They are no object.';
      return fault === null ? { value } : { issues: [{ message: fault }] };
    };
    return { '~standard': { vendor: 'mcp', validate } };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.worker?.terminate();
  }

  private async checkNow(schema: Record<string, unknown>, value: unknown): Promise<Verdict> {
    const worker = (this.worker ??= await this.start());
    const answer = new Promise<Verdict>((resolve) => (this.answer = resolve));
    worker.postMessage({ schema, value });
    const verdict = await withTimeout(answer, this.checkMilliseconds, () => UNCHECKABLE);
    if (verdict === UNCHECKABLE) {
      this.logger.warn('Arguments of a tool could not be checked by the schema of its server.');
      this.worker = null;
      await worker.terminate();
    }
    return verdict;
  }

  /** Its own start must not count as the time of a check. */
  private async start(): Promise<Worker> {
    const { resolve } = loadPackage as NodeJS.Require;
    const worker = new Worker(WORKER_SOURCE, {
      eval: true,
      workerData: { validators: resolve('@modelcontextprotocol/client/validators/cf-worker') },
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    });
    worker.unref();
    const ready = new Promise<unknown>((isReady) => (this.answer = isReady));
    worker.on('message', (verdict: Verdict) => this.answer(verdict));
    worker.on('error', () => this.answer(UNCHECKABLE));
    worker.on('exit', () => this.answer(UNCHECKABLE));
    await ready;
    return worker;
  }
}

const UNCHECKABLE = 'The schema of the tool cannot be checked.';

/** Text, because a file beside this one would lie elsewhere after the build than in the tests. */
const WORKER_SOURCE = `
'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { CfWorkerJsonSchemaValidator } = require(workerData.validators);
const validators = new CfWorkerJsonSchemaValidator();

function check({ schema, value }) {
  try {
    const { valid, errorMessage } = validators.getValidator(schema)(value);
    return valid ? null : String(errorMessage).slice(0, 500);
  } catch (error) {
    return 'The schema of the tool is faulty.';
  }
}

parentPort.on('message', (question) => parentPort.postMessage(check(question)));
parentPort.postMessage('ready');
`;
