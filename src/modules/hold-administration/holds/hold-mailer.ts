import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { MailDefinition } from '../../../integrations/mail/mail-definition';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { type LegalHold, LegalHolds } from '../../hold/hold.api';
import { UserDirectoryQuery, UserService } from '../../user/user.api';
import { HOLD_BEGAN, HOLD_ENDED } from '../hold.mails';
import { HoldSubjects } from './hold-subjects';

/** Informs the owners of held data, if the hold says so. */
@Injectable()
export class HoldMailer {
  constructor(
    private readonly users: UserService,
    private readonly directory: UserDirectoryQuery,
    private readonly subjects: HoldSubjects,
    private readonly mails: MailQueue,
    private readonly clock: Clock,
    holds: LegalHolds,
  ) {
    holds.onCovered((manager, { hold, userIds }) =>
      this.send(manager, HOLD_BEGAN, hold, { userIds, since: this.clock.now() }),
    );
  }

  /** Informs the owner of a single conversation. All others are informed when they are covered. */
  async sendBeganToOwner(manager: EntityManager, hold: LegalHold): Promise<void> {
    await this.send(manager, HOLD_BEGAN, hold, { userIds: await this.ownerOf(hold), since: hold.createdAt });
  }

  /** @param covered whom the hold covered, except the owner of a single conversation */
  async sendEnded(manager: EntityManager, hold: LegalHold, covered: readonly number[]): Promise<void> {
    const userIds = [...covered, ...(await this.ownerOf(hold))];
    await this.send(manager, HOLD_ENDED, hold, { userIds, since: hold.createdAt });
  }

  private async ownerOf({ scope, scopeId }: LegalHold): Promise<number[]> {
    const owner = scope === 'chat' ? await this.subjects.ownerOf(scopeId) : null;
    return owner === null ? [] : [owner];
  }

  private async send(
    manager: EntityManager,
    mail: MailDefinition<{ since: string }>,
    { notify }: LegalHold,
    { userIds, since }: { userIds: readonly number[]; since: Date },
  ): Promise<void> {
    if (!notify) {
      return;
    }
    for (const user of await this.directory.findAll(userIds)) {
      // A closed account has released its address.
      const to = user.deletedAt === null ? user.email : user.formerEmail;
      if (to !== null) {
        const values = { since: since.toISOString() };
        await this.mails.enqueue(manager, { mail, to, language: await this.users.languageOf(user), values });
      }
    }
  }
}
