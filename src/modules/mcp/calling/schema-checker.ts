import { Worker } from 'node:worker_threads';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { loadPackage } from '../../../common/load-package';
import { withTimeout } from '../../../common/time';
import type { ToolSchema } from '../../../common/tools/agent-tool.decorator';

/** The time limit of one check. A malicious pattern can take years. */
const CHECK_MILLISECONDS = 1_000;

const MOST_MEGABYTES = 64;

/** The validation error; null: valid. */
type Verdict = string | null;

/**
 * Validates arguments against the schemas of MCP servers. It runs in a separate thread that is terminated when it takes
 * too long, and does not compile schemas to code.
 */
@Injectable()
export class SchemaChecker implements OnApplicationShutdown {
  /** Not part of the configuration; tests on slow machines set it. */
  checkMilliseconds = CHECK_MILLISECONDS;
  private readonly logger = new Logger(SchemaChecker.name);
  private worker: Worker | null = null;
  private answer: (verdict: Verdict) => void = () => undefined;
  private last: Promise<unknown> = Promise.resolve();

  /** Runs one check at a time, so that the check that takes too long is known. */
  check(schema: Record<string, unknown>, value: unknown): Promise<Verdict> {
    const checking = this.last.then(() => this.checkNow(schema, value));
    this.last = checking;
    return checking;
  }

  /** Wraps the schema of a server as a tool schema. */
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

  /** The start of the worker must not count as time of a check. */
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

/** Inline, because a separate file would have different paths in the build and in tests. */
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
