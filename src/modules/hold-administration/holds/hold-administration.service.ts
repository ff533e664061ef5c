import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { type LegalHold, LegalHolds, LegalHoldStore } from '../../hold/hold.api';
import { HoldLimitError, HoldNotFoundError } from '../hold.errors';
import { holdCreated } from '../hold.events';
import { HoldEndings } from './hold-endings';
import { HoldMailer } from './hold-mailer';
import { HoldSubjects } from './hold-subjects';
import { auditedHold, holdAudit } from './legal-hold.audit';
import { HoldDto, ListHoldsQueryDto, toHoldDto } from './legal-hold.dto';
import type { CreateHoldDto, UpdateHoldDto } from './legal-hold-body.dto';

/** Most active holds. Every deletion reads them, and a group covers many users with one. */
const MOST_ACTIVE = 1_000;

/** Administrators' operations on legal holds. */
@Injectable()
export class HoldAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly holds: LegalHolds,
    private readonly store: LegalHoldStore,
    private readonly subjects: HoldSubjects,
    private readonly endings: HoldEndings,
    private readonly mailer: HoldMailer,
  ) {}

  async list(query: ListHoldsQueryDto): Promise<Page<HoldDto>> {
    const { status, scope, scope_id: scopeId } = query;
    const where = {
      ...(status !== undefined && { status }),
      ...(scope !== undefined && { scope }),
      ...(scopeId !== undefined && { scopeId }),
    };
    const { items, total } = await this.store.page(where, partOf(query));
    return toPage(items.map(toHoldDto), total, query);
  }

  /** @throws HoldNotFoundError */
  async get(id: number): Promise<LegalHold> {
    const hold = await this.store.find(id);
    if (hold === null) {
      throw new HoldNotFoundError();
    }
    return hold;
  }

  /**
   * Everything that exists when this returns is kept.
   *
   * @throws ValidationFailedError for an unknown user, conversation or group, or an end in the past
   * @throws HoldLimitError
   */
  async create(createdBy: number, body: CreateHoldDto): Promise<HoldDto> {
    const { scope, scope_id: scopeId, name, reason, notify = true } = body;
    const until = this.endOf(body.until);
    const { hold, covered } = await this.database.write(async (manager) => {
      const users = await this.subjects.usersOf(manager, { scope, scopeId });
      if (users === null) {
        throw ValidationFailedError.of('scope_id', 'not_offered');
      }
      await this.holds.lockForCreation(manager);
      if ((await this.store.countActive(manager)) >= MOST_ACTIVE) {
        throw new HoldLimitError(MOST_ACTIVE);
      }
      const created = await this.store.add(manager, {
        ...{ scope, scopeId, name, reason, notify, until, createdBy },
        status: 'active',
        createdAt: this.clock.now(),
        releasedBy: null,
        releasedAt: null,
        releaseReason: null,
        counts: null,
      });
      await this.holds.cover(manager, created, users);
      const { id } = created;
      const change = { id, userId: null, before: null, after: auditedHold(created), reason };
      await this.events.publish(manager, holdAudit.change('created', change));
      await this.events.publish(manager, holdCreated(null, { id, scope, scope_id: scopeId }));
      await this.mailer.sendBeganToOwner(manager, created);
      return { hold: created, covered: users };
    });
    // Counted without the lock, for which deletions wait.
    const counts = await this.subjects.count(hold, covered);
    await this.database.write((manager) => this.store.change(manager, hold.id, { counts }));
    return toHoldDto({ ...hold, counts });
  }

  /**
   * @throws HoldNotFoundError, HoldReleasedError
   * @throws ValidationFailedError for an end in the past, or if there is nothing to change
   */
  async update(id: number, { name, reason, until }: UpdateHoldDto): Promise<HoldDto> {
    const changes: Partial<LegalHold> = {
      ...(name !== undefined && { name }),
      ...(reason !== undefined && { reason }),
      ...(until !== undefined && { until: this.endOf(until) }),
    };
    if (Object.keys(changes).length === 0) {
      throw ValidationFailedError.of('body', 'nothing_to_change');
    }
    return this.database.write(async (manager) => {
      const before = await this.endings.lockActive(manager, id);
      await this.store.change(manager, id, changes);
      const after = { ...before, ...changes };
      const states = { before: auditedHold(before), after: auditedHold(after) };
      await this.events.publish(manager, holdAudit.change('updated', { id, userId: null, ...states }));
      return toHoldDto(after);
    });
  }

  /** @throws HoldNotFoundError, HoldReleasedError */
  async release(id: number, by: number, reason: string): Promise<HoldDto> {
    return this.database.write(async (manager) => {
      const hold = await this.endings.lockActive(manager, id);
      return toHoldDto(await this.endings.end(manager, hold, { by, reason }));
    });
  }

  /** @throws ValidationFailedError */
  private endOf(until: string | null | undefined): Date | null {
    if (until === undefined || until === null) {
      return null;
    }
    const end = new Date(until);
    if (end <= this.clock.now()) {
      throw ValidationFailedError.of('until', 'not_allowed');
    }
    return end;
  }
}
