import { Injectable } from '@nestjs/common';
import { SharedCache } from '../../../common/cache/shared-cache';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { RedisConnection } from '../../../common/redis/redis-connection';
import type { Tier } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { type MembershipType, UserDirectoryQuery, UserNotFoundError, UserService } from '../../user/user.api';
import { PlanService } from './plan.service';

/** Number of users whose terms are kept in memory. */
const MOST_USERS = 10_000;

/** What a user may use each UTC day, and the bytes that the user may keep; null: any number. */
export interface QuotaLimits {
  messages: number | null;
  tokens: number | null;
  storage: number | null;
}

const NO_LIMITS: Readonly<QuotaLimits> = { messages: null, tokens: null, storage: null };

/** A user's plan, and the limits that an administrator has set for this user; null: the limits of the plan. */
interface UserTerms extends QuotaLimits {
  plan: MembershipType;
  isClosed: boolean;
}

/**
 * Knows the limits of users: those of their plan, or those that an administrator has set for the user. Administrators have
 * none. A user's terms are kept in memory, because every message asks for them.
 */
@Injectable()
export class UserLimits {
  private readonly terms: SharedCache<number, UserTerms>;

  constructor(
    private readonly users: UserService,
    private readonly directory: UserDirectoryQuery,
    private readonly plans: PlanService,
    database: Database,
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

  /** @throws UserNotFoundError when the account is closed. */
  async of(userId: number, tier: Tier): Promise<Readonly<QuotaLimits>> {
    if (tier === 'admin') {
      return NO_LIMITS;
    }
    const terms = await this.terms.get(userId);
    if (terms.isClosed) {
      throw new UserNotFoundError();
    }
    const plan = await this.plans.find(tier === 'normal' ? 'free' : terms.plan);
    return {
      messages: terms.messages ?? plan.messagesPerDay,
      tokens: terms.tokens ?? plan.tokensPerDay,
      storage: terms.storage ?? plan.storageBytes,
    };
  }

  /** The plan that the user has now, also while the account is closed: what it has spent still counts. */
  async planOf(userId: number): Promise<MembershipType> {
    return (await this.terms.get(userId)).plan;
  }

  private async readTerms(userId: number): Promise<UserTerms> {
    const user = await this.directory.find(userId);
    if (user === null) {
      throw new UserNotFoundError();
    }
    return {
      isClosed: user.deletedAt !== null,
      plan: this.users.effectiveMembership(user),
      messages: user.quotaMessagesOverride,
      tokens: user.quotaTokensOverride,
      storage: user.quotaStorageOverride,
    };
  }
}
