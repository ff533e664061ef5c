import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { RedisConnection } from '../../../common/redis/redis-connection';
import type { Tier } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { type MembershipType, UserService } from '../../user/user.api';
import { PlanService } from './plan.service';

/** Longest time that another instance goes on with old values, in milliseconds. */
const FRESHNESS = 5_000;
const MOST_USERS = 10_000;
const CHANNEL = 'quota-limits';

/** What a user may use each UTC day; null: any number. */
export interface QuotaLimits {
  messages: number | null;
  tokens: number | null;
}

interface UserTerms {
  plan: MembershipType;
  messages: number | null;
  tokens: number | null;
}

/** The limits of each user: the user's own where an administrator set one, otherwise the plan's; none for administrators. */
@Injectable()
export class QuotaLimitsService {
  private readonly terms = new LRUCache<number, Promise<UserTerms>>({ max: MOST_USERS, ttl: FRESHNESS });

  constructor(
    private readonly database: Database,
    private readonly users: UserService,
    private readonly plans: PlanService,
    private readonly redis: RedisConnection,
    events: DomainEvents,
  ) {
    const forget = (event: DomainEvent, _manager: EntityManager): Promise<void> => this.forget(event.userId);
    events.on('user.*', forget);
    events.on('membership.*', forget);
    redis.subscribe(CHANNEL, (userId) => this.terms.delete(Number(userId)));
  }

  /** @throws UserNotFoundError when the account is closed. */
  async limitsFor(userId: number, tier: Tier): Promise<QuotaLimits> {
    if (tier === 'admin') {
      return { messages: null, tokens: null };
    }
    const terms = await this.termsOf(userId);
    const plan = await this.plans.find(tier === 'normal' ? 'free' : terms.plan);
    return { messages: terms.messages ?? plan.messagesPerDay, tokens: terms.tokens ?? plan.tokensPerDay };
  }

  /** Keeps the promise, so that parallel messages share one query. */
  private termsOf(userId: number): Promise<UserTerms> {
    const known = this.terms.get(userId);
    if (known) {
      return known;
    }
    const reading = this.read(userId);
    this.terms.set(userId, reading);
    reading.catch(() => this.terms.delete(userId));
    return reading;
  }

  private async read(userId: number): Promise<UserTerms> {
    const user = await this.users.get(userId);
    return {
      plan: this.users.effectiveMembership(user),
      messages: user.quotaMessagesOverride,
      tokens: user.quotaTokensOverride,
    };
  }

  private forget(userId: number | null): Promise<void> {
    this.database.onCommit(() => {
      this.terms.delete(Number(userId));
      this.redis.publish(CHANNEL, String(userId));
    });
    return Promise.resolve();
  }
}
