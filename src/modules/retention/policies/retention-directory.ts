import { Injectable, Logger } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findRows } from '../../../database/statements/find';
import { GroupMemberships } from '../../group/group.api';
import type { RetentionKind } from './retention-kinds';
import { RetentionLeaverEntity, RetentionPolicyEntity } from './retention-policy.entity';
import { expiryOf, type KindRules, NOTICE_MILLISECONDS, type Policy, rulesAt } from './retention-rules';

/** Longest time until an instance knows a change that another instance made. */
const KNOWN_MILLISECONDS = 30 * SECOND_MILLISECONDS;

/** When data from this time will be deleted; null: never. */
export type Expiry = (from: Date) => Date | null;

const NEVER: Expiry = () => null;

/** Keeps all policies in memory, so that requests need no query for them. */
@Injectable()
export class RetentionDirectory {
  private readonly logger = new Logger(RetentionDirectory.name);
  private known: readonly RetentionPolicyEntity[] = [];

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly groups: GroupMemberships,
    background: BackgroundWork,
  ) {
    database.onReady(() => this.reload());
    background.add({
      step: async () => {
        await this.reload();
        return null;
      },
      onError: (error) => this.logger.warn({ error }, 'Retention policies could not be read.'),
      idleMilliseconds: KNOWN_MILLISECONDS,
    });
  }

  /** The policies, including deleted ones that are still in force. */
  get policies(): readonly RetentionPolicyEntity[] {
    return this.known;
  }

  /** Whether any policy of the kind exists. */
  has(kind: RetentionKind): boolean {
    return this.known.some((policy) => policy.kind === kind);
  }

  /** Await it after the commit of a change, so that this instance knows it. */
  async reload(): Promise<void> {
    this.known = await findRows(this.database.manager, RetentionPolicyEntity, {}, { order: { id: 'ASC' } });
  }

  /** The rules in force; null if no policy of the kind is in force. */
  rules(kind: RetentionKind, policies: readonly Policy[] = this.known): KindRules | null {
    return rulesAt(policies, kind, this.clock.now());
  }

  /** For data of one user: when it will be deleted. It queries the user's groups only if a group has a policy. */
  async expiry(kind: RetentionKind, userId: number): Promise<Expiry> {
    const policies = this.known.filter((policy) => policy.kind === kind);
    if (policies.length === 0) {
      return NEVER;
    }
    const now = this.clock.now();
    const hasGroups = policies.some(({ scopeId }) => scopeId !== null);
    const memberships = hasGroups ? await this.groups.groupIdsOf(userId) : [];
    const left = hasGroups ? await this.leftBy(userId, now) : [];
    return (from) => expiryOf(policies, kind, { from, memberships, left, now });
  }

  private async leftBy(userId: number, now: Date): Promise<number[]> {
    const leftAt = MoreThan(new Date(now.getTime() - NOTICE_MILLISECONDS));
    const rows = await findRows(this.database.manager, RetentionLeaverEntity, { userId, leftAt });
    return rows.map(({ groupId }) => groupId);
  }
}
