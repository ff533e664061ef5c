import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { allOf, idIn } from '../../../database/statements/row-condition';
import { isHeld, LegalHolds } from '../../hold/hold.api';
import { RetainedData } from '../../retention/retention.api';
import { FailedReplyEntity } from './failed-reply.entity';

/** Deletes failed replies by retention policies. */
@Injectable()
export class ExpiredFailures {
  constructor(database: Database, holds: LegalHolds, data: RetainedData) {
    data.add<FailedReplyEntity>({
      kind: 'failed_replies',
      entity: FailedReplyEntity,
      id: 'id',
      at: 'failedAt',
      owner: 'failed_replies.user_id',
      held: isHeld('failed_replies.user_id', 'failed_replies.chat_id'),
      batch: 500,
      remove: (ids, due) =>
        database.write(async (manager) => {
          await holds.lockForDeletion(manager);
          const rows = allOf(idIn(ids, 'failed_replies.id'), due);
          return { deleted: { failed_replies: await deleteRows(manager, FailedReplyEntity, rows) } };
        }),
    });
  }
}
