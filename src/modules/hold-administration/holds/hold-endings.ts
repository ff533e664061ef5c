import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { type LegalHold, LegalHolds, LegalHoldStore } from '../../hold/hold.api';
import { HoldNotFoundError, HoldReleasedError } from '../hold.errors';
import { holdReleased } from '../hold.events';
import { HoldMailer } from './hold-mailer';
import { auditedHold, holdAudit } from './legal-hold.audit';

/** An administrator's release; null if the hold expires. */
export type Release = { by: number; reason: string } | null;

/** Ends legal holds. From the commit on, what they alone kept is due. */
@Injectable()
export class HoldEndings {
  constructor(
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly holds: LegalHolds,
    private readonly store: LegalHoldStore,
    private readonly mailer: HoldMailer,
  ) {}

  /** Locks an active hold until the transaction ends. @throws HoldNotFoundError, HoldReleasedError */
  async lockActive(manager: EntityManager, id: number): Promise<LegalHold> {
    const hold = await this.store.findLocked(manager, id);
    if (hold === null) {
      throw new HoldNotFoundError();
    }
    if (hold.status !== 'active') {
      throw new HoldReleasedError();
    }
    return hold;
  }

  /** Within `Database.write`. @param before locked and active */
  async end(manager: EntityManager, before: LegalHold, release: Release): Promise<LegalHold> {
    const { id, scope, scopeId } = before;
    const changes: Partial<LegalHold> = {
      status: release === null ? 'expired' : 'released',
      releasedBy: release?.by ?? null,
      releasedAt: this.clock.now(),
      releaseReason: release?.reason ?? null,
    };
    // A user who joins the group now is covered before this, or not at all.
    await this.holds.lockForCreation(manager);
    await this.store.change(manager, id, changes);
    await this.store.releaseUsers(manager, id);
    const after = { ...before, ...changes };
    const states = { before: auditedHold(before), after: auditedHold(after) };
    const verb = release === null ? 'expired' : 'released';
    await this.events.publish(
      manager,
      holdAudit.change(verb, { id, userId: null, ...states, reason: release?.reason }),
    );
    const facts = { id, scope, scope_id: scopeId, expired: release === null };
    await this.events.publish(manager, holdReleased(null, facts));
    await this.mailer.sendEnded(manager, after, await this.store.usersOf(id, manager));
    return after;
  }
}
