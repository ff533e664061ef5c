import { Injectable } from '@nestjs/common';
import { EntityManager, MoreThan } from 'typeorm';
import { personalStateOf } from '../../../common/audit/audit-definition';
import { AuditState } from '../../../common/audit/audit-state';
import { Database } from '../../../database/database';
import { PersonalDataRegistry } from '../../user/user.api';
import { AuditLogEntity } from './audit-log.entity';

/** Entries that are read or changed at once. */
const BATCH = 200;

/** What the log keeps of a user: what an administrator did, and from where; and who somebody was to whom it was done. */
@Injectable()
export class AuditPersonalData {
  constructor(
    private readonly database: Database,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'audit_logs',
      entities: [AuditLogEntity],
      rows: (userId) => this.actionsOf(userId),
      erase: (userId) => this.erase(userId),
    });
  }

  private async *actionsOf(actorId: number): AsyncGenerator<object> {
    for await (const logs of this.batches({ actorId })) {
      yield* logs.map(toActionRow);
    }
  }

  /** What was done stays, under a number that nobody can be told by any more. */
  private async erase(userId: number): Promise<void> {
    await this.database.write((manager) =>
      manager.update(AuditLogEntity, { actorId: userId }, { address: '', userAgent: null }),
    );
    for await (const logs of this.batches({ subjectId: userId })) {
      await this.database.write((manager) => eraseStates(manager, logs));
    }
  }

  private async *batches(where: { actorId: number } | { subjectId: number }): AsyncGenerator<AuditLogEntity[]> {
    for (let lastId = 0; ;) {
      const logs = await this.database
        .repository(AuditLogEntity)
        .find({ where: { ...where, id: MoreThan(lastId) }, order: { id: 'ASC' }, take: BATCH });
      yield logs;
      if (logs.length < BATCH) {
        return;
      }
      lastId = logs[logs.length - 1]?.id ?? lastId;
    }
  }
}

/** One statement for all the entries; it adds none, because they are never deleted. */
async function eraseStates(manager: EntityManager, logs: AuditLogEntity[]): Promise<void> {
  const erased = logs.map((log) => ({
    ...log,
    before: withoutPerson(log.targetType, log.before),
    after: withoutPerson(log.targetType, log.after),
    reason: null,
  }));
  if (erased.length > 0) {
    await manager
      .createQueryBuilder()
      .insert()
      .into(AuditLogEntity)
      // TypeORM's type for partial rows does not fit free JSON.
      .values(erased as never)
      .orUpdate(['state_before', 'state_after', 'reason'], ['id'])
      .updateEntity(false)
      .execute();
  }
}

/** What an administrator did and from where; what it was done to tells of other people, and of instructions. */
function toActionRow(log: AuditLogEntity): object {
  return {
    id: log.id,
    action: log.action,
    target_type: log.targetType,
    target_id: log.targetId,
    address: log.address,
    user_agent: log.userAgent,
    request_id: log.requestId,
    created_at: log.createdAt.toISOString(),
  };
}

function withoutPerson(subject: string, state: AuditState | null): AuditState | null {
  const personal = personalStateOf(subject);
  return state && Object.fromEntries(Object.entries(state).filter(([name]) => !personal.includes(name)));
}
