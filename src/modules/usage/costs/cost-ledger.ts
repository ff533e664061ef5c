import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { addAmounts, type Amount, formatAmount } from '../../../common/money/amount';
import { fromParts, toParts } from '../../../common/money/stored-amount';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import { utcDay } from '../../../common/utc-day';
import { insertRows } from '../../../database/statements/insert';
import { runStatement } from '../../../database/statements/run-statement';
import { addSumsToCounters } from '../../../database/statements/upsert-counters';
import { MEMBERS_OF_GROUPS } from '../../group/group.api';
import { type Cost, MissingPrices, PriceBook, type PricedUsage, PricingConfig } from '../../pricing/pricing.api';
import { UserLimits } from '../quota/plan.service';
import { COST_COLUMNS, COST_OF_ROW } from '../sums/cost-sums';
import { type CostKind, UsageCostEntity } from './usage-cost.entity';

const GROUPS_OF = `SELECT group_id FROM (${MEMBERS_OF_GROUPS}) member WHERE user_id = ? ORDER BY group_id`;

/** A request to a model and its usage. */
export interface SpentRequest {
  kind: CostKind;
  /** Number of the reply's round, from 1. */
  round: number;
  /** Number of the request within its round, from 1. */
  attempt: number;
  provider: string;
  /** The requested model. */
  model: string;
  modelAnswered: string | null;
  /** `requests` is 0 for a failed request without cost. */
  usage: PricedUsage;
  isEstimated: boolean;
  /** Whether the request delivered the result, so that its tokens also count as the user's usage. */
  isCounted: boolean;
  /** Whether the reply that the request delivered failed. */
  isFailed: boolean;
  /** When the request started. */
  askedAt: Date;
}

/** A request with its cost. */
export type PricedRequest = SpentRequest & Cost;

/** The user, key and context that requests are charged to. */
export interface SpentFor {
  userId: number;
  /** Null if no key was used. */
  apiKeyId: number | null;
  /** 0 if there is none. */
  chatId: number;
  /** 0 if there is none. */
  agentId: number;
  /** Id of the reply. Null if there is none. */
  messageId: number | null;
  /** The user's plan and groups at admission. If absent, the current ones apply. */
  charged?: Charged | null;
}

/** The plan and groups whose budgets a request is charged to. */
export interface Charged {
  /** Null if the user no longer exists. */
  plan: string | null;
  groupIds: readonly number[];
}

/** A cost as members of an API response. */
export interface ShownCost {
  cost: string | null;
  currency: string;
}

/** Calculates and records the costs of model requests. */
@Injectable()
export class CostLedger {
  constructor(
    private readonly book: PriceBook,
    private readonly config: PricingConfig,
    private readonly missing: MissingPrices,
    private readonly limits: UserLimits,
  ) {}

  /** The currency of all costs. */
  get currency(): string {
    return this.config.COST_CURRENCY;
  }

  /** The requests with their costs. */
  price(requests: readonly SpentRequest[]): Promise<PricedRequest[]> {
    return this.book.price(requests);
  }

  /** The total cost for a reply's response. Null if responses contain no costs. */
  shown(requests: readonly Pick<Cost, 'cost'>[]): ShownCost | null {
    return this.config.COST_IN_RESPONSES ? { cost: formatAmount(totalCost(requests)), currency: this.currency } : null;
  }

  /** Within `Database.write`, after the messages were counted. Takes one statement, or two with an API key. */
  async record(manager: EntityManager, requests: readonly PricedRequest[], owner: SpentFor, at: Date): Promise<void> {
    if (requests.length === 0) {
      return;
    }
    const { userId, apiKeyId, chatId, agentId, messageId } = owner;
    const { plan, groupIds } = owner.charged ?? (await this.chargedNow(manager, userId));
    const day = utcDay(at);
    const rows = requests.map((request): Omit<UsageCostEntity, 'id'> => ({
      userId,
      plan,
      groupIds,
      apiKeyId,
      chatId,
      agentId,
      messageId,
      round: request.round,
      attempt: request.attempt,
      kind: request.kind,
      provider: request.provider,
      model: request.model,
      modelAnswered: request.modelAnswered,
      promptTokens: request.usage.prompt,
      completionTokens: request.usage.completion,
      cachedTokens: request.usage.cached,
      cacheWriteTokens: request.usage.cacheWrite,
      cacheWrite1hTokens: request.usage.cacheWrite1h,
      reasoningTokens: request.usage.reasoning,
      images: request.usage.images,
      webSearches: request.usage.webSearches,
      requests: request.usage.requests,
      isCounted: request.isCounted,
      isFailed: request.isFailed,
      isEstimated: request.isEstimated,
      priceId: request.priceId,
      ...storedCost(request.cost),
      day,
      askedAt: request.askedAt,
      createdAt: at,
      unsummed: 1,
    }));
    const ids = await insertRows(manager, UsageCostEntity, rows);
    await this.book.markUsed(
      manager,
      requests.map(({ priceId }) => priceId),
    );
    if (apiKeyId !== null) {
      await addToKey(manager, ids);
    }
    this.missing.noteOnCommit(requests.filter(({ cost }) => cost === null));
  }

  /** The user's current plan and groups. */
  async chargedNow(manager: EntityManager, userId: number): Promise<Charged> {
    const { rows } = await runStatement(manager, GROUPS_OF, [userId]);
    return { plan: await this.limits.planOf(userId), groupIds: rows.map(([groupId]) => groupId as number) };
  }
}

/** The sum of the known costs. Null if there are requests but none has a known cost. */
export function totalCost(requests: readonly Pick<Cost, 'cost'>[]): Amount | null {
  return requests.length === 0 ? 0n : requests.reduce<Amount | null>((sum, { cost }) => addAmounts(sum, cost), null);
}

/**
 * The usage of one answered request.
 *
 * @param images number of images in its prompt
 */
export function toPricedUsage(usage: Omit<ReplyTokenUsage, 'isEstimated' | 'model'>, images: number): PricedUsage {
  const { prompt, completion, cached, cacheWrite = 0, cacheWrite1h = 0, reasoning, webSearches = 0 } = usage;
  return { prompt, completion, cached, cacheWrite, cacheWrite1h, reasoning, images, webSearches, requests: 1 };
}

/** The cost as columns of the ledger. */
export function storedCost(cost: Amount | null): Pick<UsageCostEntity, 'costUnits' | 'costMicros' | 'costPicos'> {
  if (cost === null) {
    return { costUnits: null, costMicros: null, costPicos: null };
  }
  const { units, micros, picos } = toParts(cost);
  return { costUnits: units, costMicros: micros, costPicos: picos };
}

/** The cost of a row. Null if it had no price. */
export function costOfRow(row: Pick<UsageCostEntity, 'costUnits' | 'costMicros' | 'costPicos'>): Amount | null {
  const { costUnits: units, costMicros: micros, costPicos: picos } = row;
  return units === null || micros === null || picos === null ? null : fromParts({ units, micros, picos });
}

/** Adds rows that were just written to the sums of their key, which must always be exact. */
async function addToKey(manager: EntityManager, ids: readonly number[]): Promise<void> {
  const key = ['day', 'user_id', 'api_key_id'];
  const sums = COST_COLUMNS.map((column) => `SUM(${column}) AS ${column}`).join(', ');
  const costs = `SELECT ${key.join(', ')}, ${COST_OF_ROW} FROM usage_costs WHERE id BETWEEN ? AND ? AND api_key_id IS NOT NULL`;
  const statement = `SELECT ${key.join(', ')}, ${sums} FROM (${costs}) AS counted GROUP BY ${key.join(', ')}`;
  await addSumsToCounters(manager, 'usage_key_days', key, COST_COLUMNS, {
    statement,
    parameters: [ids[0] ?? 0, ids.at(-1) ?? 0],
  });
}
