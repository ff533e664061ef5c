import { Injectable } from '@nestjs/common';
import type { ObjectLiteral } from 'typeorm';
import { Database } from '../../../database/database';
import { PersonalDataRegistry } from '../../user/personal-data/personal-data-registry.service';
import { PERSONAL_STATE } from '../users/user-state';
import { AuditLogEntity } from './audit-log.entity';
import { AuditState } from './audit-state';

/** Entries that are read or changed at once. */
const BATCH = 200;

/** What tells of a person: in the state of an account, and in that of a webhook. */
const PERSONAL_FIELDS: ReadonlySet<string> = new Set([...PERSONAL_STATE, 'url', 'description']);

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
    for await (const log of this.read('log.actorId = :actorId', { actorId })) {
      yield toActionRow(log);
    }
  }

  /** What was done stays, under a number that nobody can be told by any more; the own webhooks tell of the person too. */
  private async erase(userId: number): Promise<void> {
    await this.database.write((manager) =>
      manager.update(AuditLogEntity, { actorId: userId }, { address: '', userAgent: null }),
    );
    const targetId = String(userId);
    await this.eraseStates("log.targetType = 'user' AND log.targetId = :targetId", { targetId });
    await this.eraseStates("log.targetType = 'webhook' AND log.actorId = :userId", { userId });
  }

  private async eraseStates(condition: string, parameters: ObjectLiteral): Promise<void> {
    for await (const { id, before, after } of this.read(condition, parameters)) {
      await this.database.write((manager) =>
        manager.update(
          AuditLogEntity,
          { id },
          { before: withoutIdentity(before) as never, after: withoutIdentity(after) as never, reason: null },
        ),
      );
    }
  }

  private async *read(condition: string, parameters: ObjectLiteral): AsyncGenerator<AuditLogEntity> {
    for (let lastId = 0; ;) {
      const logs = await this.database
        .repository(AuditLogEntity)
        .createQueryBuilder('log')
        .where(condition, parameters)
        .andWhere('log.id > :lastId', { lastId })
        .orderBy('log.id')
        .limit(BATCH)
        .getMany();
      yield* logs;
      if (logs.length < BATCH) {
        return;
      }
      lastId = logs[logs.length - 1]?.id ?? lastId;
    }
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

function withoutIdentity(state: AuditState | null): AuditState | null {
  return state && Object.fromEntries(Object.entries(state).filter(([name]) => !PERSONAL_FIELDS.has(name)));
}
