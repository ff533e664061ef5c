import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { MailDefinition } from '../../../integrations/mail/mail-definition';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import type { LegalHold } from '../../hold/hold.api';
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
  ) {}

  /** @param userIds whom the hold covers, except the owner of a single conversation */
  sendBegan(manager: EntityManager, hold: LegalHold, userIds: readonly number[]): Promise<void> {
    return this.send(manager, HOLD_BEGAN, hold, userIds);
  }

  /** @param userIds whom the hold covered, except the owner of a single conversation */
  sendEnded(manager: EntityManager, hold: LegalHold, userIds: readonly number[]): Promise<void> {
    return this.send(manager, HOLD_ENDED, hold, userIds);
  }

  private async send(
    manager: EntityManager,
    mail: MailDefinition<{ since: string }>,
    { notify, scope, scopeId, createdAt }: LegalHold,
    userIds: readonly number[],
  ): Promise<void> {
    const owner = notify && scope === 'chat' ? await this.subjects.ownerOf(scopeId) : null;
    const informed = notify ? [...userIds, ...(owner === null ? [] : [owner])] : [];
    for (const user of await this.directory.findAll(informed)) {
      // A closed account has released its address.
      const to = user.deletedAt === null ? user.email : user.formerEmail;
      if (to !== null) {
        const values = { since: createdAt.toISOString() };
        await this.mails.enqueue(manager, { mail, to, language: await this.users.languageOf(user), values });
      }
    }
  }
}
