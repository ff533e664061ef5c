import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SharedCache } from '../../../common/cache/shared-cache';
import { Clock } from '../../../common/clock';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { RedisConnection } from '../../../common/redis/redis-connection';
import type { Tier } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import {
  MEMBERSHIP_TYPES,
  type MembershipType,
  UserDirectoryQuery,
  UserNotFoundError,
  UserService,
} from '../../user/user.api';
import { type Plan, PlanEntity } from './plan.entity';
import { UsageConfig } from './usage.config';

const MEBIBYTE = 1_048_576;

/** A limit that did not exist yet when the plan was created. */
const NOT_SET = -1;

/** Limits that older plans may lack. */
const LATER_LIMITS = ['storageBytes', 'embeddingTokens'] as const;

/** Limits to set. An absent limit stays unchanged. Null removes it. */
export type PlanLimits = Partial<Pick<Plan, 'messagesPerDay' | 'tokensPerDay' | 'storageBytes' | 'embeddingTokens'>>;

/** The plans and their limits. They are cached, because every message reads them. */
@Injectable()
export class PlanService {
  private readonly plans: SharedCache<void, Plan[]>;

  constructor(
    private readonly database: Database,
    private readonly config: UsageConfig,
    private readonly clock: Clock,
    redis: RedisConnection,
  ) {
    this.plans = new SharedCache({ channel: 'plans', load: () => this.load(), database, redis });
    database.onReady(() => this.addMissingPlans());
  }

  /** All plans, ordered by type. */
  list(): Promise<Plan[]> {
    return this.plans.get();
  }

  async find(membershipType: MembershipType): Promise<Plan> {
    const plan = (await this.list()).find((candidate) => candidate.membershipType === membershipType);
    if (!plan) {
      throw new Error(`The plan "${membershipType}" is missing in the database.`);
    }
    return plan;
  }

  /** The plan, read from the database. */
  get(membershipType: MembershipType): Promise<Plan> {
    return read(this.database.manager, membershipType);
  }

  /** Locks the plan for a change until the transaction ends. Null if the plan is missing. */
  lock(manager: EntityManager, membershipType: MembershipType): Promise<Plan | null> {
    return findLocked(manager, PlanEntity, { membershipType });
  }

  /**
   * Changes a plan. The change applies from the next message. Other instances apply it within five seconds, or at once
   * with Redis.
   */
  async update(manager: EntityManager, membershipType: MembershipType, limits: PlanLimits): Promise<Plan> {
    await updateRows(manager, PlanEntity, { ...limits, updatedAt: this.clock.now() }, { membershipType });
    this.plans.forgetOnCommit();
    return read(manager, membershipType);
  }

  private async load(): Promise<Plan[]> {
    const plans = await findRows(this.database.manager, PlanEntity, {});
    return plans.sort(
      (one, other) => MEMBERSHIP_TYPES.indexOf(one.membershipType) - MEMBERSHIP_TYPES.indexOf(other.membershipType),
    );
  }

  private async addMissingPlans(): Promise<void> {
    await this.setMissingLimits();
    const present = new Set((await this.list()).map(({ membershipType }) => membershipType));
    const missing = MEMBERSHIP_TYPES.filter((membershipType) => !present.has(membershipType));
    if (missing.length > 0) {
      await this.database.write(async (manager) => {
        // Another instance that starts at the same time may add them first.
        const rows = missing.map((type) => this.firstPlan(type));
        await upsertRows(manager, PlanEntity, rows, ['membershipType'], ['membershipType']);
        this.plans.forgetOnCommit();
      });
    }
  }

  private async setMissingLimits(): Promise<void> {
    const missing = (await this.list()).filter((plan) => LATER_LIMITS.some((limit) => plan[limit] === NOT_SET));
    if (missing.length > 0) {
      await this.database.write(async (manager) => {
        for (const { membershipType } of missing) {
          const first = this.firstPlan(membershipType);
          for (const limit of LATER_LIMITS) {
            // The condition keeps a value that another starting instance has set and an administrator may have changed.
            await updateRows(manager, PlanEntity, { [limit]: first[limit] }, { membershipType, [limit]: NOT_SET });
          }
        }
        this.plans.forgetOnCommit();
      });
    }
  }

  private firstPlan(membershipType: MembershipType): PlanEntity {
    const isFree = membershipType === 'free';
    return {
      membershipType,
      messagesPerDay: isFree ? this.config.QUOTA_FREE_MESSAGES : this.config.QUOTA_PAID_MESSAGES,
      tokensPerDay: isFree ? this.config.QUOTA_FREE_TOKENS : this.config.QUOTA_PAID_TOKENS,
      storageBytes: MEBIBYTE * (isFree ? this.config.QUOTA_FREE_STORAGE_MB : this.config.QUOTA_PAID_STORAGE_MB),
      embeddingTokens: isFree ? this.config.QUOTA_FREE_EMBEDDING_TOKENS : this.config.QUOTA_PAID_EMBEDDING_TOKENS,
      updatedAt: this.clock.now(),
    };
  }
}

async function read(manager: EntityManager, membershipType: MembershipType): Promise<Plan> {
  const plan = await findRow(manager, PlanEntity, { membershipType });
  if (plan === null) {
    throw new Error(`The plan "${membershipType}" is missing in the database.`);
  }
  return plan;
}

/** Most users whose limits are cached. */
const MOST_USERS = 10_000;

/** A user's limits per UTC day, and the bytes that the user may store. Null for no limit. */
export interface QuotaLimits {
  messages: number | null;
  tokens: number | null;
  storage: number | null;
  embeddingTokens: number | null;
}

const NO_LIMITS: Readonly<QuotaLimits> = { messages: null, tokens: null, storage: null, embeddingTokens: null };

/** A user's plan, and the limits that an administrator has set for this user. Null if the plan's limit applies. */
interface UserTerms extends QuotaLimits {
  plan: MembershipType;
  isClosed: boolean;
}

/**
 * Determines users' limits: those of the plan, unless an administrator has set others for the user. Administrators have
 * none. A user's limits are cached, because every message reads them.
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

  /** @throws UserNotFoundError when the account is closed */
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
      embeddingTokens: terms.embeddingTokens ?? plan.embeddingTokens,
    };
  }

  /**
   * The user's current plan, even if the account is closed, because its spending still counts. Null if the user does not
   * exist, as in the ledger rows of erased accounts.
   */
  async planOf(userId: number): Promise<MembershipType | null> {
    try {
      return (await this.terms.get(userId)).plan;
    } catch (error) {
      if (error instanceof UserNotFoundError) {
        return null;
      }
      throw error;
    }
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
      embeddingTokens: user.quotaEmbeddingTokensOverride,
    };
  }
}
