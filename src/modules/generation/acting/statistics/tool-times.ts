import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Database } from '../../../../database/database';
import { findRows } from '../../../../database/statements/find';
import { updateRows } from '../../../../database/statements/update';
import { ToolCallEntity } from '../../actions/tool-call.entity';

/** Maximum number of calls returned for one reply. */
const MOST_CALLS = 200;

/** The fields that a user who may not read the call's content can see. */
const MEMBERS = [
  'number',
  'round',
  'name',
  'server',
  'state',
  'durationMs',
  'createdAt',
  'startedAt',
  'endedAt',
  'spanId',
] as const;

export type ToolTime = Readonly<Pick<ToolCallEntity, (typeof MEMBERS)[number] | 'spanId'>>;

/** When tool calls were made and how long they took, without arguments and results. */
@Injectable()
export class ToolTimes {
  constructor(private readonly database: Database) {}

  /** The calls of one reply, in order. */
  ofReply(messageId: number): Promise<ToolTime[]> {
    return findRows(
      this.database.manager,
      ToolCallEntity,
      { messageId },
      { members: MEMBERS, order: { number: 'ASC' }, limit: MOST_CALLS },
    );
  }

  /** Within `Database.write`: removes the times of the calls of these replies, which no trace shows any more. */
  async forget(manager: EntityManager, messageIds: readonly number[]): Promise<void> {
    const nothing = { durationMs: null, startedAt: null, endedAt: null };
    await updateRows(manager, ToolCallEntity, nothing, { messageId: In([...messageIds]) });
  }
}
