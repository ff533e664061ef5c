import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { allOf, idIn, type RowCondition } from '../../../database/statements/row-condition';
import { updateRows } from '../../../database/statements/update';
import { ToolTimes } from '../../generation/generation.api';
import { isHeld, LegalHolds } from '../../hold/hold.api';
import { type Removed, RetainedData } from '../../retention/retention.api';
import { MessageEntity } from '../conversations/message.entity';

const OWNER = '(SELECT chats.user_id FROM chats WHERE chats.id = chat_messages.chat_id)';

/** Deletes traces of replies by retention policies: the requests to models, and the times of tool calls. */
@Injectable()
export class ExpiredTraces {
  constructor(
    private readonly database: Database,
    private readonly tools: ToolTimes,
    private readonly holds: LegalHolds,
    data: RetainedData,
  ) {
    const hasEnded = "chat_messages.trace IS NOT NULL AND chat_messages.status NOT IN ('streaming', 'requires_action')";
    data.add<MessageEntity>({
      kind: 'traces',
      entity: MessageEntity,
      id: 'id',
      at: 'completedAt',
      owner: OWNER,
      held: isHeld(OWNER, 'chat_messages.chat_id'),
      condition: () => ({ condition: hasEnded, parameters: [] }),
      batch: 500,
      staysInTable: true,
      remove: (ids, due) => this.remove(ids, due),
    });
  }

  private remove(ids: number[], due: RowCondition): Promise<Removed> {
    return this.database.write(async (manager) => {
      await findRows(manager, MessageEntity, { id: In(ids) }, { members: ['id'], order: { id: 'ASC' }, lock: 'wait' });
      await this.holds.lockForDeletion(manager);
      const rows = await findRows(manager, MessageEntity, allOf(idIn(ids, 'chat_messages.id'), due), {
        members: ['id'],
      });
      const dueIds = rows.map(({ id }) => id);
      const traces = await updateRows(manager, MessageEntity, { trace: null }, { id: In(dueIds) });
      await this.tools.forget(manager, dueIds);
      return { deleted: { traces } };
    });
  }
}
