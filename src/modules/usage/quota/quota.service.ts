import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { Principal, Tier } from '../../../common/security/principal';
import { startOfDay, type UtcDay, utcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { countForKey, tokensOfKey } from '../keys/key-usage';
import type { UsageEntryEntity } from '../usage-entry.entity';
import { type QuotaLimits, UserLimits } from './plan.service';
import { QuotaAlertService } from './quota-alert.service';
import { QuotaExceededError, type QuotaKind } from './usage.errors';
import { UsageAccountEntity } from './usage-account.entity';
import { type DayUse, openAccount, retakeMessage, takeMessage } from './usage-account-statements';

/** A user's remaining quotas of today. Null for no limit. */
export interface QuotaRemaining {
  messages: number | null;
  tokens: number | null;
}

/** A user's limits and usage of today. */
export interface QuotaState {
  limits: Readonly<QuotaLimits>;
  used: DayUse;
  /** Bytes that the user stores. */
  storedBytes: number;
  /** When the quotas reset. */
  resetsAt: Date;
}

/** The user who uses something, and the limits of the API key of the request. */
export type Spender = Pick<Principal, 'userId' | 'tier' | 'apiKeyId' | 'tokensPerDay'>;

/**
 * Enforces users' daily quotas (UTC).
 *
 * Start here: `takeMessage` runs with every message. `plan.service.ts` has the limits of plans and users,
 * `usage-account-statements.ts` the counters, and `quota-alert.service.ts` reports exceeded quotas.
 */
@Injectable()
export class QuotaService {
  constructor(
    private readonly database: Database,
    private readonly limits: UserLimits,
    private readonly alerts: QuotaAlertService,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes one message from the quota and writes its row. Call it within `Database.write`.
   *
   * @throws QuotaExceededError when the messages or the tokens of the day are used up; it is also reported as an event
   */
  async takeMessage(manager: EntityManager, spender: Spender, entry: UsageEntryEntity): Promise<QuotaRemaining> {
    const { userId, tier } = spender;
    const at = entry.createdAt;
    const limits = await this.limits.of(userId, tier);
    const take = (): Promise<DayUse | null> =>
      takeMessage(manager, entry, {
        messages: limits.messages ?? Number.MAX_SAFE_INTEGER,
        tokens: limits.tokens ?? Number.MAX_SAFE_INTEGER,
      });
    const used = (await take()) ?? (await this.takeFirstOrRefuse(manager, userId, limits, at, take));
    await countForKey(manager, spender, utcDay(at), { messages: 1, user_messages: 1 });
    return withinKey(remainingOf(limits, used), await this.requireTokensOfKey(manager, spender, at));
  }

  /**
   * For work that costs tokens but is not a new message, such as repeating a reply. Call it within `Database.write`.
   *
   * @param retakesMessage whether it again takes a message that `addReply` has returned to the quota
   * @throws QuotaExceededError when the tokens of the day are used up, or the messages if it takes one; it is also
   * reported as an event
   */
  async requireTokens(manager: EntityManager, spender: Spender, retakesMessage: boolean): Promise<QuotaRemaining> {
    const { userId, tier } = spender;
    const now = this.clock.now();
    // Creates the row of a new user, and locks an existing row, so that requests of one user run one after the other.
    await openAccount(manager, userId);
    const { limits, used } = await this.state(userId, tier);
    if (retakesMessage) {
      this.refuseIfUsedUp('messages', userId, limits, used, now);
      await retakeMessage(manager, userId, utcDay(now));
      used.messages++;
    }
    this.refuseIfUsedUp('tokens', userId, limits, used, now);
    await countForKey(manager, spender, utcDay(now), { messages: 0 });
    return withinKey(remainingOf(limits, used), await this.requireTokensOfKey(manager, spender, now));
  }

  /**
   * Call it before costly work for a request that will take a message, to refuse early what would be refused then.
   *
   * @throws QuotaExceededError
   */
  async requireAnyLeft(spender: Spender): Promise<void> {
    const now = this.clock.now();
    const { limits, used } = await this.state(spender.userId, spender.tier);
    this.refuseIfUsedUp('messages', spender.userId, limits, used, now);
    this.refuseIfUsedUp('tokens', spender.userId, limits, used, now);
    await this.requireTokensOfKey(this.database.manager, spender, now);
  }

  /**
   * Call it after `countForKey`, within the same `Database.write`, or before any work.
   *
   * @returns the tokens that the key may still use today; null if it has no limit of its own
   * @throws QuotaExceededError when none are left
   */
  private async requireTokensOfKey(manager: EntityManager, spender: Spender, at: Date): Promise<number | null> {
    const { tokensPerDay: limit } = spender;
    if (limit === null) {
      return null;
    }
    const used = await tokensOfKey(manager, spender, utcDay(at));
    if (used >= limit) {
      throw exceeded('api_key_tokens', limit, used, at);
    }
    return limit - used;
  }

  async state(userId: number, tier: Tier): Promise<QuotaState> {
    const today = utcDay(this.clock.now());
    const [limits, account] = await Promise.all([
      this.limits.of(userId, tier),
      findRow(this.database.manager, UsageAccountEntity, { userId }),
    ]);
    const storedBytes = account?.storedBytes ?? 0;
    return { limits, used: usedOn(today, account), storedBytes, resetsAt: startOfDay(today + 1) };
  }

  async remaining(spender: Spender): Promise<QuotaRemaining> {
    const { limits, used } = await this.state(spender.userId, spender.tier);
    const { tokensPerDay: limit } = spender;
    const { manager } = this.database;
    const ofKey = limit === null ? 0 : await tokensOfKey(manager, spender, utcDay(this.clock.now()));
    return withinKey(remainingOf(limits, used), limit === null ? null : Math.max(0, limit - ofKey));
  }

  /** Called if a limit is reached, or if the user has no counters yet. */
  private async takeFirstOrRefuse(
    manager: EntityManager,
    userId: number,
    limits: Readonly<QuotaLimits>,
    at: Date,
    take: () => Promise<DayUse | null>,
  ): Promise<DayUse> {
    // Creates the row of a new user, and locks an existing row, so that the counters cannot change before `take`.
    await openAccount(manager, userId);
    const present = usedOn(utcDay(at), await findRow(manager, UsageAccountEntity, { userId }));
    this.refuseIfUsedUp('messages', userId, limits, present, at);
    this.refuseIfUsedUp('tokens', userId, limits, present, at);
    const used = await take();
    if (!used) {
      throw new Error(`The usage counters of user ${userId} cannot be changed.`);
    }
    return used;
  }

  private refuseIfUsedUp(
    quota: QuotaKind,
    userId: number,
    limits: Readonly<QuotaLimits>,
    used: DayUse,
    at: Date,
  ): void {
    const limit = limits[quota];
    if (limit !== null && used[quota] >= limit) {
      const resets_at = startOfDay(utcDay(at) + 1).toISOString();
      this.alerts.raise({ user_id: userId, quota, limit, used: used[quota], resets_at }, utcDay(at));
      throw exceeded(quota, limit, used[quota], at);
    }
  }
}

function usedOn(day: UtcDay, account: UsageAccountEntity | null): DayUse {
  return account && account.day >= day
    ? { messages: account.dayMessages, tokens: account.dayTokens }
    : { messages: 0, tokens: 0 };
}

function exceeded(quota: QuotaKind | 'api_key_tokens', limit: number, used: number, at: Date): QuotaExceededError {
  const resetsAt = startOfDay(utcDay(at) + 1);
  const details = { quota, limit, used, resets_at: resetsAt.toISOString() };
  return new QuotaExceededError(details, (resetsAt.getTime() - at.getTime()) / 1_000);
}

/** The remaining quota, limited to the tokens that the key may still use. Null for no limit. */
function withinKey(remaining: QuotaRemaining, tokens: number | null): QuotaRemaining {
  return tokens === null ? remaining : { ...remaining, tokens: Math.min(tokens, remaining.tokens ?? tokens) };
}

function remainingOf(limits: Readonly<QuotaLimits>, used: DayUse): QuotaRemaining {
  return {
    messages: limits.messages === null ? null : Math.max(0, limits.messages - used.messages),
    tokens: limits.tokens === null ? null : Math.max(0, limits.tokens - used.tokens),
  };
}
