import { Database } from '../../src/database/database';
import { CostLedger, toPricedUsage } from '../../src/modules/usage/costs/cost-ledger';
import type { TestApp } from './test-app';

/** A request to a model of 100 tokens of prompt and 10 of reply. */
interface PastRequest {
  userId: number;
  model: string;
  /** Default: one that nobody has. */
  provider?: string;
  apiKeyId?: number;
  /** As the model called itself; default: it did not. */
  modelAnswered?: string;
  agentId?: number;
  /** How many of them are written at once; default: one. */
  times?: number;
  askedAt: Date;
  /** When it is written down; default: when it was asked. */
  at?: Date;
}

/** Writes a request into the ledger of costs, as what ends it does. */
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
