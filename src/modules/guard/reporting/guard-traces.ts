import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { PersonalDataRegistry } from '../../user/user.api';
import { FindingEntity } from '../checking/finding.entity';
import type { GuardCheck } from '../checking/guard-check';
import { GuardTraceEntity } from './guard-trace.entity';

/** Checks that one row keeps. A long guarded stream has many. */
const MOST_CHECKS = 500;

/** The checks of replies, for their traces. */
@Injectable()
export class GuardTraces {
  constructor(
    private readonly database: Database,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'guard_checks',
      entities: [GuardTraceEntity, FindingEntity],
      rows: (userId) => registry.read(GuardTraceEntity, userId, toRow),
      // Findings only have positions. They are erased together with the conversations.
      erase: (userId) => registry.delete(GuardTraceEntity, userId),
    });
  }

  /** Call it within `Database.write`. */
  async store(manager: EntityManager, messageId: number, userId: number, checks: readonly GuardCheck[]): Promise<void> {
    await insertRow(manager, GuardTraceEntity, { messageId, userId, checks: checks.slice(0, MOST_CHECKS) });
  }

  /** The checks of a reply, in order. */
  async of(messageId: number): Promise<GuardCheck[]> {
    const rows = await findRows(this.database.manager, GuardTraceEntity, { messageId }, { order: { id: 'ASC' } });
    return rows.flatMap(({ checks }) => checks);
  }

  /** Call it within `Database.write` when messages are erased. */
  async forgetMessages(manager: EntityManager, messageIds: readonly number[]): Promise<void> {
    await deleteRows(manager, GuardTraceEntity, { messageId: In([...messageIds]) });
  }

  /** Call it within `Database.write` when conversations are erased. */
  async forgetChats(manager: EntityManager, chatIds: readonly number[]): Promise<void> {
    await deleteRows(manager, FindingEntity, { chatId: In([...chatIds]) });
  }
}

/** Checks that are only reported are not shown to the user. */
function toRow({ messageId, checks }: GuardTraceEntity): object {
  return { message_id: messageId, checks: ofOwner(checks) };
}

/** The checks that the owner of a reply may see. */
export function ofOwner(checks: readonly GuardCheck[]): GuardCheck[] {
  return checks.filter(({ action }) => action !== 'report');
}
