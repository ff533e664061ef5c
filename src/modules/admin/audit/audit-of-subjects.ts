import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { keysetBatches } from '../../../database/statements/keyset-batches';
import { toAuditLogDto } from './audit.dto';
import { AuditLogEntity } from './audit-log.entity';

/** Entries of the audit log about users and conversations, for exports. */
@Injectable()
export class AuditOfSubjects {
  constructor(private readonly database: Database) {}

  /** Entries about the user as a person, and the user's own actions. */
  ofUser(userId: number): AsyncGenerator<object> {
    return this.rows([{ subjectId: userId }, { actorId: userId }]);
  }

  ofChat(chatId: number): AsyncGenerator<object> {
    return this.rows([{ targetType: 'chat', targetId: String(chatId) }]);
  }

  private async *rows(where: Parameters<typeof keysetBatches<AuditLogEntity, 'id'>>[2]): AsyncGenerator<object> {
    for await (const logs of keysetBatches(this.database.manager, AuditLogEntity, where)) {
      yield* logs.map((log) => toAuditLogDto(log, null));
    }
  }
}
