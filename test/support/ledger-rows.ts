import { Database } from '../../src/database/database';
import { CostLedger, toPricedUsage } from '../../src/modules/usage/costs/cost-ledger';
import type { TestApp } from './test-app';

/** A model request with 100 prompt tokens and 10 reply tokens. */
interface PastRequest {
  userId: number;
  model: string;
  /** Default: a unique one. */
  provider?: string;
  apiKeyId?: number;
  /** The model name in the answer; default: none. */
  modelAnswered?: string;
  agentId?: number;
  /** The number of rows written together; default: one. */
  times?: number;
  askedAt: Date;
  /** The time of the write; default: the time of the request. */
  at?: Date;
}

/** Writes a request into the cost ledger, as its settlement does. */
export async function recordRequest({ app }: Pick<TestApp, 'app'>, request: PastRequest): Promise<void> {
  const {
    userId,
    model,
    provider = 'elsewhere',
    modelAnswered = null,
    apiKeyId = null,
    agentId = 0,
    times = 1,
    askedAt,
    at = askedAt,
  } = request;
  const ledger = app.get(CostLedger);
  const usage = toPricedUsage({ prompt: 100, completion: 10, total: 110, cached: 0, reasoning: 0 }, 0);
  const asked = { kind: 'reply', round: 1, attempt: 1, provider, model, modelAnswered, askedAt } as const;
  const spent = { ...asked, usage, isEstimated: false, isCounted: true, isFailed: false };
  const costs = await ledger.price(Array.from({ length: times }, () => spent));
  const owner = { userId, apiKeyId, chatId: 0, agentId, messageId: null };
  await app.get(Database).write((manager) => ledger.record(manager, costs, owner, at));
}
