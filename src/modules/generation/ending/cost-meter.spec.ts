import { fake } from '../../../../test/support/fake';
import type { LanguageModels } from '../../../integrations/llm/language-models';
import { type CalledModel, newCalledModel } from '../../../integrations/llm/port/called-model';
import { GenerationConfig } from '../generation.config';
import type { GenerationTask } from '../reply/generation-task';
import type { ReplyDriver } from '../reply/reply-driver';
import { abortedOutcome, completedOutcome, failedOutcome } from '../reply/reply-end';
import type { ReplyOrigin } from '../reply/reply-origin';
import { RunningReply } from '../reply/running-reply';
import { CostMeter, type MeteredUsage, type UsageMeter } from './cost-meter';

const AT = new Date(1_000);
const TASK = { agent: { provider: 'own', model: 'large' }, messages: 2, startedAt: AT } as GenerationTask;
const SPENT = { prompt: 9, completion: 4, total: 13, cached: 0, reasoning: 0, isEstimated: false, model: 'small' };
const TOLD = {
  prompt_tokens: 7,
  completion_tokens: 1,
  cached_tokens: 2,
  cache_write_tokens: 3,
  reasoning_tokens: 0,
};
const OWN: MeteredUsage = { usage: { ...SPENT, prompt: 20, total: 24, model: 'large' }, isFree: false };
const FREE: MeteredUsage = { usage: { ...SPENT, prompt: 0, completion: 0, total: 0 }, isFree: true };

const meter = new CostMeter(
  new GenerationConfig(),
  fake<LanguageModels>({
    lookUp: ({ provider, model }) => ({
      provider: provider ?? 'default',
      model: model ?? null,
      host: null,
      isKnown: true,
    }),
  }),
  fake<UsageMeter>({ promptOf: () => Promise.resolve(50) }),
);

function replyWith(
  requests: (Partial<CalledModel> & { kind?: 'compaction' })[],
  { isRecovered = false, task = TASK } = {},
): RunningReply {
  const reply = new RunningReply(1, 2, 3, task, {} as ReplyOrigin, {} as ReplyDriver);
  reply.begun = isRecovered ? null : { messageCount: 2, quota: { messages: null, tokens: null } };
  for (const { kind = 'reply', ...asked } of requests) {
    const fresh = newCalledModel({ provider: 'own', model: 'large', images: 0 });
    reply.requests.push({ kind, called: { ...fresh, ...asked }, at: AT, usage: null, promptEstimate: null });
  }
  return reply;
}

const COMPLETED = completedOutcome({ finishReason: 'stop', model: 'large', provider: 'own', usage: TOLD });

describe('the requests that a reply is billed for', () => {
  it('are the one that produced it and those that were accepted and abandoned', async () => {
    const reply = replyWith([
      { hasFailed: true },
      { hasFailed: true, isTaken: true },
      { hasFailed: true, isTaken: true, usage: TOLD },
      { isTaken: true, answered: 'large-2' },
    ]);
    expect(await meter.of(reply, COMPLETED, OWN)).toMatchObject([
      { attempt: 2, usage: { prompt: 50, completion: 0, requests: 1 }, isEstimated: true, isCounted: false },
      { attempt: 3, usage: { prompt: 7, cached: 2, cacheWrite: 3 }, isEstimated: true, isCounted: false },
      {
        attempt: 4,
        usage: { prompt: 20, completion: 4 },
        isEstimated: false,
        isCounted: true,
        modelAnswered: 'large-2',
      },
    ]);
  });

  it('are none for a reply that no provider accepted, which costs nothing', async () => {
    const failed = failedOutcome(new Error(), { provider: 'own', model: 'large', host: null });
    expect(await meter.of(replyWith([{ hasFailed: true }]), failed, FREE)).toMatchObject([
      { kind: 'reply', provider: 'own', model: 'large', usage: { prompt: 0, requests: 0 }, isFailed: true },
    ]);
  });

  it('are those that may have been sent when the reply was stopped here, without those refused before', async () => {
    const stopped = replyWith([{ hasFailed: true }, {}]);
    expect(await meter.of(stopped, abortedOutcome('interrupted'), FREE)).toMatchObject([
      { attempt: 2, usage: { prompt: 50 }, isEstimated: true, isCounted: false },
      { usage: { prompt: 0, requests: 0 }, isCounted: true },
    ]);
  });

  it('are those that may have been sent before a crash cut the reply', async () => {
    const cut = replyWith([], { isRecovered: true });
    cut.spent = SPENT;
    expect(await meter.of(cut, abortedOutcome('interrupted'), FREE)).toMatchObject([
      { kind: 'compaction', usage: { prompt: 9, completion: 4 }, isCounted: true },
      { kind: 'reply', provider: 'own', model: 'large', usage: { prompt: 50, completion: 0 }, isCounted: false },
    ]);
    const spoken = replyWith([], { isRecovered: true });
    expect(await meter.of(spoken, abortedOutcome('interrupted'), OWN)).toMatchObject([
      { kind: 'reply', usage: { prompt: 20, completion: 4 }, isCounted: true },
    ]);
  });

  it('are only a summary if nothing else was requested', async () => {
    const reply = replyWith([{ kind: 'compaction', isTaken: true }], { task: { ...TASK, messages: 0 } });
    reply.requests[0]!.usage = SPENT;
    expect(await meter.of(reply, COMPLETED, OWN)).toMatchObject([{ kind: 'compaction', usage: { prompt: 9 } }]);
  });
});
