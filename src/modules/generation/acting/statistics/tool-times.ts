import { Injectable } from '@nestjs/common';
import { Database } from '../../../../database/database';
import { findRows } from '../../../../database/statements/find';
import { ToolCallEntity } from '../tool-call.entity';

/** Calls of one reply that are told of. */
const MOST_CALLS = 200;

/** What is told of a call to those who may not read it. */
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
] as const;

export type ToolTime = Readonly<Pick<ToolCallEntity, (typeof MEMBERS)[number]>>;

/** When calls of tools were made and how long they took, without what they said. */
@Injectable()
export class ToolTimes {
  constructor(private readonly database: Database) {}

  /** Of one reply, in the order of the calls. */
  ofReply(messageId: number): Promise<ToolTime[]> {
    return findRows(
      this.database.manager,
      ToolCallEntity,
      { messageId },
      { members: MEMBERS, order: { number: 'ASC' }, limit: MOST_CALLS },
    );
  }
}
