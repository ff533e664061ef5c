import { Injectable, OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { Database } from '../../../database/database';
import { MEMBERSHIP_TYPES, type MembershipType } from '../../user/user.api';
import { UsageConfig } from '../usage.config';
import { PlanEntity } from './plan.entity';

/** Longest time that another instance goes on with old limits, in milliseconds. */
const FRESHNESS = 5_000;
const CHANNEL = 'plans';

/** Limits to set; absent ones stay as they are, null lifts them. */
export type PlanLimits = Partial<Pick<PlanEntity, 'messagesPerDay' | 'tokensPerDay'>>;

/** The plans and their limits. Reading them costs nothing: they are kept in memory and known to be fresh. */
@Injectable()
export class PlanService implements OnModuleInit {
  private plans: Promise<PlanEntity[]> | null = null;
  private loadedAt = 0;

  constructor(
    private readonly database: Database,
    private readonly redis: RedisConnection,
    private readonly config: UsageConfig,
    private readonly clock: Clock,
  ) {
    database.onReady(() => this.addMissingPlans());
  }

  onModuleInit(): void {
    this.redis.subscribe(CHANNEL, () => this.forget());
  }

  /** All plans, in the order of their types. */
  list(): Promise<PlanEntity[]> {
    if (!this.plans || performance.now() - this.loadedAt > FRESHNESS) {
      this.loadedAt = performance.now();
      const plans = this.load();
      this.plans = plans;
      plans.catch(() => this.plans === plans && this.forget());
    }
    return this.plans;
  }

  async find(membershipType: MembershipType): Promise<PlanEntity> {
    const plan = (await this.list()).find((candidate) => candidate.membershipType === membershipType);
    if (!plan) {
      throw new Error(`The plan "${membershipType}" is missing in the database.`);
    }
    return plan;
  }

  /** Changes a plan from the next message on; within five seconds on other instances, at once with Redis. */
  async update(manager: EntityManager, membershipType: MembershipType, limits: PlanLimits): Promise<PlanEntity> {
    await manager.update(PlanEntity, { membershipType }, { ...limits, updatedAt: this.clock.now() });
    this.database.onCommit(() => {
      this.forget();
      this.redis.publish(CHANNEL, membershipType);
    });
    return manager.findOneByOrFail(PlanEntity, { membershipType });
  }

  private async load(): Promise<PlanEntity[]> {
    const plans = await this.database.repository(PlanEntity).find();
    return plans.sort(
      (one, other) => MEMBERSHIP_TYPES.indexOf(one.membershipType) - MEMBERSHIP_TYPES.indexOf(other.membershipType),
    );
  }

  private forget(): void {
    this.plans = null;
  }

  private async addMissingPlans(): Promise<void> {
    const present = new Set((await this.list()).map(({ membershipType }) => membershipType));
    const missing = MEMBERSHIP_TYPES.filter((membershipType) => !present.has(membershipType));
    if (missing.length > 0) {
      await this.database.write((manager) =>
        // Another instance that starts at the same time may add them first.
        manager
          .createQueryBuilder()
          .insert()
          .into(PlanEntity)
          .values(missing.map((type) => this.firstPlan(type)))
          .orIgnore()
          .execute(),
      );
      this.forget();
    }
  }

  private firstPlan(membershipType: MembershipType): PlanEntity {
    const isFree = membershipType === 'free';
    return {
      membershipType,
      messagesPerDay: isFree ? this.config.QUOTA_FREE_MESSAGES : this.config.QUOTA_PAID_MESSAGES,
      tokensPerDay: isFree ? this.config.QUOTA_FREE_TOKENS : this.config.QUOTA_PAID_TOKENS,
      updatedAt: this.clock.now(),
    };
  }
}
