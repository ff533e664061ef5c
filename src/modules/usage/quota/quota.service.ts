import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SharedCache } from '../../../common/cache/shared-cache';
import { Clock } from '../../../common/clock';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { RedisConnection } from '../../../common/redis/redis-connection';
import type { Principal, Tier } from '../../../common/security/principal';
import { startOfDay, type UtcDay, utcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { type MembershipType, UserService } from '../../user/user.api';
import { countForKey, tokensOfKey } from '../keys/key-usage';
import { PlanService } from './plan.service';
import { QuotaAlertService } from './quota-alert.service';
import { QuotaExceededError, type QuotaKind } from './usage.errors';
import { UsageAccountEntity } from './usage-account.entity';
import { type DayUse, openAccount, takeMessage } from './usage-account-statements';

/** Number of users whose limits are kept in memory. */
const MOST_USERS = 10_000;

/** What a user may use each UTC day; null: any number. */
export interface QuotaLimits {
  messages: number | null;
  tokens: number | null;
}

/** What a user may still use today; null where there is no limit. */
export interface QuotaRemaining {
  messages: number | null;
  tokens: number | null;
}

/** What a user may use today, and has used. */
export interface QuotaState {
  limits: QuotaLimits;
  used: DayUse;
  /** When counting starts again. */
  resetsAt: Date;
}

/** Who uses something, and the limits of the API key that it is used with. */
export type Spender = Pick<Principal, 'userId' | 'tier' | 'apiKeyId' | 'tokensPerDay'>;

/** A user's plan, and the limits that an administrator has set for this user; null: the limits of the plan. */
interface UserTerms extends QuotaLimits {
  plan: MembershipType;
}

/**
 * Limits what users may use each UTC day: to the limits of their plan, or to limits that an administrator has set for
 * the user. Administrators have no limits. A user's terms are kept in memory, because every message asks for them.
 *
 * This folder holds the quotas. Start here: `takeMessage` runs with every message. `plan.service.ts` knows the limits of
 * the plans, `usage-account-statements.ts` the counters, and `quota-alert.service.ts` reports exceeded quotas.
 */
@Injectable()
export class QuotaService {
  private readonly terms: SharedCache<number, UserTerms>;

  constructor(
    private readonly database: Database,
    private readonly users: UserService,
    private readonly plans: PlanService,
    private readonly alerts: QuotaAlertService,
    private readonly clock: Clock,
    events: DomainEvents,
    redis: RedisConnection,
  ) {
    const load = (userId: number): Promise<UserTerms> => this.readTerms(userId);
    this.terms = new SharedCache({ channel: 'quota-limits', load, mostKeys: MOST_USERS, database, redis });
    const forget = ({ userId }: DomainEvent): Promise<void> => {
      if (userId !== null) {
        this.terms.forgetOnCommit(userId);
      }
      return Promise.resolve();
    };
    events.on('user.*', forget);
    events.on('membership.*', forget);
  }

  /**
   * Takes one message from the quota. Call it within `Database.write`.
   *
   * @throws QuotaExceededError when the messages or the tokens of the day are used up; it is reported as an event too.
   */
  async takeMessage(manager: EntityManager, spender: Spender, at: Date): Promise<QuotaRemaining> {
    const { userId, tier } = spender;
    const limits = await this.limitsFor(userId, tier);
    const take = (): Promise<DayUse | null> =>
      takeMessage(manager, userId, utcDay(at), {
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
   * @throws QuotaExceededError when the tokens of the day are used up; it is reported as an event too.
   */
  async requireTokens(manager: EntityManager, spender: Spender): Promise<QuotaRemaining> {
    const { userId, tier } = spender;
    const now = this.clock.now();
    // Creates the row of a new user, and locks the row of any other: requests of one user run one after the other.
    await openAccount(manager, userId);
    const { limits, used } = await this.state(userId, tier);
    this.refuseIfUsedUp('tokens', userId, limits, used, now);
    await countForKey(manager, spender, utcDay(now), { messages: 0 });
    return withinKey(remainingOf(limits, used), await this.requireTokensOfKey(manager, spender, now));
  }

  /**
   * Before costly work for a request that will take a message: what would be refused then is refused at once.
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
   * After `countForKey`, within the same `Database.write`, or before any work.
   *
   * @returns the tokens that the key may still use today; null: it has no limit of its own
   * @throws QuotaExceededError when none are left.
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
    const [limits, used] = await Promise.all([
      this.limitsFor(userId, tier),
      this.used(this.database.manager, userId, today),
    ]);
    return { limits, used, resetsAt: startOfDay(today + 1) };
  }

  async remaining(spender: Spender): Promise<QuotaRemaining> {
    const { limits, used } = await this.state(spender.userId, spender.tier);
    const { tokensPerDay: limit } = spender;
    const { manager } = this.database;
    const ofKey = limit === null ? 0 : await tokensOfKey(manager, spender, utcDay(this.clock.now()));
    return withinKey(remainingOf(limits, used), limit === null ? null : Math.max(0, limit - ofKey));
  }

  /** Called when a limit is reached, or the user has no counters yet. */
  private async takeFirstOrRefuse(
    manager: EntityManager,
    userId: number,
    limits: QuotaLimits,
    at: Date,
    take: () => Promise<DayUse | null>,
  ): Promise<DayUse> {
    // Creates the row of a new user, and locks the row of any other: nobody changes the counters between here and
    // `take`.
    await openAccount(manager, userId);
    const present = await this.used(manager, userId, utcDay(at));
    this.refuseIfUsedUp('messages', userId, limits, present, at);
    this.refuseIfUsedUp('tokens', userId, limits, present, at);
    const used = await take();
    if (!used) {
      throw new Error(`The usage counters of user ${userId} cannot be changed.`);
    }
    return used;
  }

  private refuseIfUsedUp(quota: QuotaKind, userId: number, limits: QuotaLimits, used: DayUse, at: Date): void {
    const limit = limits[quota];
    if (limit !== null && used[quota] >= limit) {
      const resets_at = startOfDay(utcDay(at) + 1).toISOString();
      this.alerts.raise({ user_id: userId, quota, limit, used: used[quota], resets_at }, utcDay(at));
      throw exceeded(quota, limit, used[quota], at);
    }
  }

  private async used(manager: EntityManager, userId: number, day: UtcDay): Promise<DayUse> {
    const account = await manager.findOneBy(UsageAccountEntity, { userId });
    return account && account.day >= day
      ? { messages: account.dayMessages, tokens: account.dayTokens }
      : { messages: 0, tokens: 0 };
  }

  /** @throws UserNotFoundError when the account is closed. */
  private async limitsFor(userId: number, tier: Tier): Promise<QuotaLimits> {
    if (tier === 'admin') {
      return { messages: null, tokens: null };
    }
    const terms = await this.terms.get(userId);
    const plan = await this.plans.find(tier === 'normal' ? 'free' : terms.plan);
    return { messages: terms.messages ?? plan.messagesPerDay, tokens: terms.tokens ?? plan.tokensPerDay };
  }

  private async readTerms(userId: number): Promise<UserTerms> {
    const user = await this.users.get(userId);
    return {
      plan: this.users.effectiveMembership(user),
      messages: user.quotaMessagesOverride,
      tokens: user.quotaTokensOverride,
    };
  }
}

function exceeded(quota: QuotaKind | 'api_key_tokens', limit: number, used: number, at: Date): QuotaExceededError {
  const resetsAt = startOfDay(utcDay(at) + 1);
  const details = { quota, limit, used, resets_at: resetsAt.toISOString() };
  return new QuotaExceededError(details, (resetsAt.getTime() - at.getTime()) / 1_000);
}

/** What is left for a caller whose key may still use so many tokens; null: any number. */
function withinKey(remaining: QuotaRemaining, tokens: number | null): QuotaRemaining {
  return tokens === null ? remaining : { ...remaining, tokens: Math.min(tokens, remaining.tokens ?? tokens) };
}

function remainingOf(limits: QuotaLimits, used: DayUse): QuotaRemaining {
  return {
    messages: limits.messages === null ? null : Math.max(0, limits.messages - used.messages),
    tokens: limits.tokens === null ? null : Math.max(0, limits.tokens - used.tokens),
  };
}
