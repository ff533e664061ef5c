import { Injectable } from '@nestjs/common';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { allOf, idIn } from '../../../database/statements/row-condition';
import { isHeld, LegalHolds } from '../../hold/hold.api';
import { RetainedData } from '../../retention/retention.api';
import { AuditLogEntity } from './audit-log.entity';

/** Entries about deletion prove it for at least this time. */
const PROOF_MILLISECONDS = 3_650 * DAY_MILLISECONDS;

const IS_PROOF = "(audit_logs.target_type IN ('hold', 'retention') OR audit_logs.action LIKE '%eras%')";

/** The conversation that an entry is about. Other targets may have an id that is no number. */
const CHAT = "CASE WHEN audit_logs.target_type = 'chat' THEN CAST(audit_logs.target_id AS DECIMAL) END";

/** Deletes entries of the log by a retention policy. Those about holds, retention and erasure stay for ten years. */
@Injectable()
export class ExpiredEntries {
  constructor(database: Database, holds: LegalHolds, data: RetainedData) {
    data.add<AuditLogEntity>({
      kind: 'audit',
      entity: AuditLogEntity,
      id: 'id',
      at: 'createdAt',
      owner: null,
      held: isHeld('audit_logs.subject_id', CHAT),
      condition: (now) => ({
        condition: `(NOT ${IS_PROOF} OR audit_logs.created_at <= ?)`,
        parameters: [new Date(now.getTime() - PROOF_MILLISECONDS)],
      }),
      batch: 500,
      remove: (ids, due) =>
        database.write(async (manager) => {
          await holds.lockForDeletion(manager);
          return {
            deleted: { audit: await deleteRows(manager, AuditLogEntity, allOf(idIn(ids, 'audit_logs.id'), due)) },
          };
        }),
    });
  }
}
