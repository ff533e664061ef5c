import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, LessThanOrEqual, Not } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
import { findRows, rowExists } from '../../../database/statements/find';
import { insertEntity, insertRow } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { GroupMemberships, GroupStore } from '../../group/group.api';
import { RetentionExistsError, RetentionNotFoundError } from '../retention.errors';
import { retentionAudit } from '../retention.events';
import { RetentionDirectory } from './retention-directory';
import { DEFAULT_DAYS, isLonger, type KeptDays, type RetentionKind } from './retention-kinds';
import { RetentionLeaverEntity, RetentionPolicyEntity } from './retention-policy.entity';
import { daysInForce, NOTICE_MILLISECONDS, rulesAt } from './retention-rules';

type Subject = Pick<RetentionPolicyEntity, 'scope' | 'scopeId' | 'kind'>;

/** What callers decide about a policy. An absent member stays unchanged. */
export interface PolicyChanges {
  days?: KeptDays;
  note?: string | null;
  /** From when on a shorter period applies; absent: in 24 hours. */
  effectiveAt?: Date;
}

/** Creates, changes and deletes policies. What lengthens retention applies at once, what shortens it waits. */
@Injectable()
export class RetentionPolicyStore {
  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly events: DomainEvents,
    private readonly directory: RetentionDirectory,
    private readonly memberships: GroupMemberships,
    groups: GroupStore,
  ) {
    groups.addUse((manager, id) => rowExists(manager, RetentionPolicyEntity, { scopeId: id, endedAt: IsNull() }));
    events.on('group.member_removed', (event, manager) => this.memberLeft(manager, event));
    events.on('audit.group.delete', ({ data }, manager) =>
      this.groupDeleted(manager, Number((data as { targetId: number }).targetId)),
    );
  }

  /** @throws RetentionExistsError */
  async create(
    subject: Subject,
    { days = null, note = null, effectiveAt }: PolicyChanges,
  ): Promise<RetentionPolicyEntity> {
    try {
      return await this.write(async (manager) => {
        await this.requireGroup(manager, subject.scopeId);
        const now = this.clock.now();
        const policies = await allPolicies(manager);
        // A deleted policy of the same kind may still be in force.
        const former = policies.map((one) => (isSame(one, subject) ? daysInForce(one, now) : undefined));
        const inForce = former.findLast((one) => one !== undefined);
        const before = inForce === undefined ? fallbackOf(policies, subject, now) : inForce;
        const policy = await insertEntity(manager, RetentionPolicyEntity, {
          ...subject,
          slot: `${subject.kind}:${subject.scopeId ?? ''}`,
          days,
          effectiveAt: effectOf(before, days, effectiveAt, now),
          hasFormer: inForce !== undefined,
          formerDays: inForce ?? null,
          note,
          createdAt: now,
          updatedAt: now,
          endedAt: null,
        });
        await this.publish(manager, 'create', null, policy);
        return policy;
      });
    } catch (error) {
      throw isUniqueViolation(error, 'slot') ? new RetentionExistsError() : error;
    }
  }

  /** @throws RetentionNotFoundError */
  change(id: number, { days, note, effectiveAt }: PolicyChanges): Promise<RetentionPolicyEntity> {
    return this.write(async (manager) => {
      const policies = await allPolicies(manager);
      const before = existing(policies, id);
      const now = this.clock.now();
      const wanted = days === undefined ? before.days : days;
      const isPending = before.effectiveAt > now;
      const after = { ...before, updatedAt: now, ...(note !== undefined && { note }) };
      if (wanted !== before.days || (isPending && effectiveAt !== undefined)) {
        const inForce = daysInForce(before, now);
        after.days = wanted;
        after.hasFormer = inForce !== undefined;
        after.formerDays = inForce ?? null;
        const applied = inForce === undefined ? fallbackOf(policies, before, now) : inForce;
        after.effectiveAt = effectOf(applied, wanted, effectiveAt, now);
      }
      await updateRows(manager, RetentionPolicyEntity, after, { id });
      await this.publish(manager, 'update', before, after);
      return after;
    });
  }

  /** A policy that is longer than what applies without it protects the data for another 24 hours. */
  remove(id: number): Promise<RetentionPolicyEntity> {
    return this.write(async (manager) => {
      const policies = await allPolicies(manager);
      const policy = existing(policies, id);
      await this.end(manager, policies, policy);
      await this.publish(manager, 'delete', policy, null);
      return policy;
    });
  }

  /** Removes deleted policies and left groups that protect nothing any more. */
  async forgetOld(): Promise<void> {
    const now = this.clock.now();
    const { manager } = this.database;
    const left = { leftAt: LessThanOrEqual(new Date(now.getTime() - NOTICE_MILLISECONDS)) };
    const ended = { endedAt: Not(IsNull()), effectiveAt: LessThanOrEqual(now) };
    const hasLeft = await rowExists(manager, RetentionLeaverEntity, left);
    const hasEnded = this.directory.policies.some(({ endedAt, effectiveAt }) => endedAt !== null && effectiveAt <= now);
    if (hasLeft || hasEnded) {
      await this.write(async (writer) => {
        await deleteRows(writer, RetentionLeaverEntity, left);
        await deleteRows(writer, RetentionPolicyEntity, ended);
      });
    }
  }

  /** Locked, so that no administrator deletes the group before the commit. */
  private async requireGroup(manager: EntityManager, id: number | null): Promise<void> {
    if (id !== null && (await this.memberships.lock(manager, [id])).length === 0) {
      throw ValidationFailedError.of('scope_id', 'not_allowed');
    }
  }

  private async end(
    manager: EntityManager,
    policies: readonly RetentionPolicyEntity[],
    policy: RetentionPolicyEntity,
  ): Promise<void> {
    const now = this.clock.now();
    const inForce = daysInForce(policy, now);
    if (inForce === undefined || !isLonger(inForce, fallbackOf(policies, policy, now))) {
      await deleteRows(manager, RetentionPolicyEntity, { id: policy.id });
      return;
    }
    const changes = {
      slot: null,
      hasFormer: true,
      formerDays: inForce,
      effectiveAt: new Date(now.getTime() + NOTICE_MILLISECONDS),
      endedAt: now,
    };
    await updateRows(manager, RetentionPolicyEntity, changes, { id: policy.id });
  }

  /** Called after every departure, so it costs a statement only if a policy exists. */
  private async memberLeft(manager: EntityManager, { userId, data }: DomainEvent): Promise<void> {
    const { group_id: groupId } = data as { group_id: number };
    if (userId !== null && (await rowExists(manager, RetentionPolicyEntity, { scopeId: groupId }))) {
      await insertRow(manager, RetentionLeaverEntity, { userId, groupId, leftAt: this.clock.now() });
    }
  }

  /** A directory may delete a group with a policy. The policy protects those who were in the group for 24 hours. */
  private async groupDeleted(manager: EntityManager, groupId: number): Promise<void> {
    const own = await findRows(manager, RetentionPolicyEntity, { scopeId: groupId, endedAt: IsNull() });
    if (own.length === 0) {
      return;
    }
    const policies = await allPolicies(manager);
    for (const policy of own) {
      await this.end(manager, policies, policy);
      await this.publish(manager, 'delete', policy, null);
    }
    this.database.onCommit(() => void this.directory.reload().catch(() => undefined));
  }

  private async write<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    const result = await this.database.write(work);
    await this.directory.reload();
    return result;
  }

  private publish(
    manager: EntityManager,
    verb: string,
    before: RetentionPolicyEntity | null,
    after: RetentionPolicyEntity | null,
  ): Promise<void> {
    const id = (before ?? after)?.id ?? null;
    return this.events.publish(manager, retentionAudit.change(verb, { id, userId: null, before, after }));
  }
}

/** Locked, so that concurrent changes compare with what is in force. */
function allPolicies(manager: EntityManager): Promise<RetentionPolicyEntity[]> {
  return findRows(manager, RetentionPolicyEntity, {}, { order: { id: 'ASC' }, lock: 'wait' });
}

function existing(policies: readonly RetentionPolicyEntity[], id: number): RetentionPolicyEntity {
  const policy = policies.find((one) => one.id === id && one.endedAt === null);
  if (policy === undefined) {
    throw new RetentionNotFoundError();
  }
  return policy;
}

function isSame(one: Subject, other: Subject): boolean {
  return one.scopeId === other.scopeId && one.kind === other.kind;
}

/** What applies to the same data without the policy. */
function fallbackOf(
  policies: readonly RetentionPolicyEntity[],
  { scopeId, kind }: { scopeId: number | null; kind: RetentionKind },
  now: Date,
): KeptDays {
  const others = policies.filter((policy) => policy.scopeId === null);
  return scopeId === null ? DEFAULT_DAYS[kind] : serviceDays(others, kind, now);
}

function effectOf(before: KeptDays, after: KeptDays, named: Date | undefined, now: Date): Date {
  if (!isLonger(before, after)) {
    return now;
  }
  const wanted = named ?? new Date(now.getTime() + NOTICE_MILLISECONDS);
  return wanted < now ? now : wanted;
}

/** `??` would take null, which means for ever, for a missing policy. */
function serviceDays(policies: readonly RetentionPolicyEntity[], kind: RetentionKind, now: Date): KeptDays {
  const rules = rulesAt(policies, kind, now);
  return rules === null ? DEFAULT_DAYS[kind] : rules.service;
}
