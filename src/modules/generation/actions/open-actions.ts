import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import type { ShownAction } from './shown-action';
import { ToolActionEntity } from './tool-action.entity';
import { ToolCallEntity } from './tool-call.entity';

/** Reads actions with their calls, as they are shown to users. */
@Injectable()
export class OpenActions {
  constructor(private readonly database: Database) {}

  /** The undecided actions of a reply, in the order of their calls. */
  async ofReply(messageId: number, manager = this.database.manager): Promise<ShownAction[]> {
    const where = { messageId, state: 'open' } as const;
    return this.withCalls(await findRows(manager, ToolActionEntity, where, { order: { id: 'ASC' } }), manager);
  }

  async withCalls(actions: readonly ToolActionEntity[], manager = this.database.manager): Promise<ShownAction[]> {
    if (actions.length === 0) {
      return [];
    }
    const calls = await findRows(manager, ToolCallEntity, { id: In(actions.map(({ callId }) => callId)) });
    const byId = new Map(calls.map((call) => [call.id, call as ToolCallEntity]));
    return actions.flatMap((action) => {
      const call = byId.get(action.callId);
      return call === undefined ? [] : [{ action, call }];
    });
  }
}
