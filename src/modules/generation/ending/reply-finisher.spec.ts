import { Logger } from '@nestjs/common';
import { fake } from '../../../../test/support/fake';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import type { Database } from '../../../database/database';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import type { CostLedger } from '../../usage/usage.api';
import type { GenerationTask } from '../reply/generation-task';
import type { ReplyDriver } from '../reply/reply-driver';
import { abortedOutcome, completedOutcome, type GenerationOutcome, type ReplyEnd } from '../reply/reply-end';
import type { ReplyOrigin } from '../reply/reply-origin';
import { RunningReply } from '../reply/running-reply';
import { type CostMeter, UsageMeter } from './cost-meter';
import type { KeptTexts, ReplyEndStore } from './reply-end.store';
import { ReplyFinisher } from './reply-finisher';

const OUTCOME = completedOutcome({ finishReason: 'stop', model: 'm', provider: 'p', usage: null });

/** Errors of writes that may succeed later. */
const PASSING: [string, unknown][] = [
  ['an unavailable database', new ServiceUnavailableError()],
  ['a lost connection', failedQuery({ code: 'PROTOCOL_CONNECTION_LOST', fatal: true })],
  ['a connection that was closed during the statement', failedQuery({ fatal: true })],
  ['a deadlock', failedQuery({ code: 'ER_LOCK_DEADLOCK' })],
];

const LASTING = failedQuery({ code: 'ER_DATA_TOO_LONG' });

/** A driver error as TypeORM throws it. */
function failedQuery(driverError: { code?: string; fatal?: boolean }): Error {
  return Object.assign(new Error('the query failed'), { driverError });
}

function replyOf(text: string): RunningReply {
  const reply = new RunningReply(1, 2, 3, {} as GenerationTask, {} as ReplyOrigin, {} as ReplyDriver);
  reply.append(text);
  return reply;
}

/** A finisher whose writes fail with these faults in order, and then succeed. */
function finisherAfter(...faults: unknown[]): { finisher: ReplyFinisher; stored: unknown[][] } {
  const stored: unknown[][] = [];
  const end = (kind: string, outcome: GenerationOutcome, text?: string): ReplyEnd => {
    stored.push([kind, outcome.status, ...(text === undefined ? [] : [text.length])]);
    if (faults.length > 0) {
      throw faults.shift();
    }
    return { ...outcome, usage: null, title: null };
  };
  const store = {
    store: (_manager: unknown, _reply: RunningReply, outcome: GenerationOutcome, _spent: unknown, kept: KeptTexts) =>
      Promise.resolve(end('all', outcome, kept.text)),
    storeLeast: (_manager: unknown, _reply: RunningReply, outcome: GenerationOutcome) =>
      Promise.resolve(end('least', outcome)),
  };
  const database = { write: async (work: (manager: unknown) => Promise<unknown>) => work({}) };
  const usage = { ofReply: () => Promise.resolve({ usage: {}, isFree: false }) };
  const costs = { of: () => Promise.resolve([]) };
  const ledger = { price: () => Promise.resolve([]), shown: () => null };
  const finisher = new ReplyFinisher(
    fake<Database>(database),
    fake<ReplyEndStore>(store),
    fake<UsageMeter>(usage),
    fake<CostMeter>(costs),
    fake<CostLedger>(ledger),
  );
  return { finisher, stored };
}

describe('a finished reply', () => {
  let errors: jest.SpyInstance;

  beforeEach(() => {
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });

  it.each(PASSING)('waits for %s and is stored unchanged', async (_case, fault) => {
    const { finisher, stored } = finisherAfter(fault, fault);
    await expect(finisher.finishWithRetries(replyOf('Hi'), OUTCOME)).resolves.toMatchObject({ status: 'completed' });
    expect(stored).toEqual(Array.from({ length: 3 }, () => ['all', 'completed', 2]));
    expect(errors).not.toHaveBeenCalled();
  });

  it.each(PASSING)('is left for later if no caller waits for %s', async (_case, fault) => {
    await expect(finisherAfter(fault).finisher.finish(replyOf('Hi'), OUTCOME)).rejects.toBe(fault);
  });

  it('that can never be stored unchanged fails with its text, and is reported once', async () => {
    const { finisher, stored } = finisherAfter(LASTING);
    await expect(finisher.finishWithRetries(replyOf('Hi'), OUTCOME)).resolves.toMatchObject({
      status: 'failed',
      finishReason: 'error',
      failure: { code: 'INTERNAL_ERROR' },
    });
    expect(stored.slice(1)).toEqual([['all', 'failed', 2]]);
    expect(errors).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['the start of a long text', 0, 250_000],
    ['the part of a longer text that its row has', 300_001, 300_001],
    ['no half of a character', 300_002, 300_001],
  ])('stores %s if the whole text is refused', async (_case, flushed, kept) => {
    const reply = replyOf('x'.repeat(300_001) + '😀'.repeat(10));
    reply.inRow.text = flushed;
    const { finisher, stored } = finisherAfter(LASTING);
    await finisher.finish(reply, OUTCOME);
    expect(stored[1]).toEqual(['all', 'failed', kept]);
  });

  it('that cannot be counted either at least releases the conversation', async () => {
    const { finisher, stored } = finisherAfter(LASTING, LASTING);
    await expect(finisher.finishWithRetries(replyOf('Hi'), OUTCOME)).resolves.toMatchObject({ status: 'failed' });
    expect(stored[2]).toEqual(['least', 'failed']);
    expect(errors).toHaveBeenCalledTimes(1);
  });

  it('is retried forever when nothing can be stored, and reported once', async () => {
    const { finisher, stored } = finisherAfter(LASTING, LASTING, LASTING, LASTING);
    await finisher.finishWithRetries(replyOf('Hi'), OUTCOME);
    expect(stored).toHaveLength(5);
    expect(errors).toHaveBeenCalledTimes(1);
  });
});

describe('counting the prompt of a finished reply', () => {
  it('uses the known limit when the prompt must be whole and the context window has become smaller', async () => {
    const prompt = { build: () => Promise.reject(ContextTooLongError.of(70_000, 64_000)) };
    const tokenCounter = { countAll: (texts: string[]) => Promise.resolve(texts.map(() => 2)) };
    const models = { lookUp: () => ({ model: 'm' }) };
    const meter = new UsageMeter(prompt as never, tokenCounter as never, models as never);
    const task = { agent: {}, options: null } as GenerationTask;
    const reply = new RunningReply(1, 2, 3, task, { promptTokens: null } as ReplyOrigin, {} as ReplyDriver);
    reply.append('Hi');
    const { usage } = await meter.ofReply(reply, abortedOutcome('stopped'));
    expect(usage).toMatchObject({ prompt: 70_000, completion: 2 });
  });
});
