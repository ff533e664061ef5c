import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { AuditKinds } from '../../../common/audit/audit-kinds';
import { AuditState } from '../../../common/audit/audit-state';
import { Database } from '../../../database/database';
import { upsertRows } from '../../../database/statements/insert';
import { keysetBatches } from '../../../database/statements/keyset-batches';
import { updateRows } from '../../../database/statements/update';
import { PersonalDataRegistry } from '../../user/user.api';
import { AuditLogEntity } from './audit-log.entity';

/** The log's personal data about a user: an administrator's actions, and personal fields of the affected users. */
@Injectable()
export class AuditPersonalData {
  constructor(
    private readonly database: Database,
    private readonly kinds: AuditKinds,
    private readonly registry: PersonalDataRegistry,
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

  /** The actions stay, with an id that no longer identifies anyone. */
  private async erase(userId: number): Promise<void> {
    await this.registry.writeUnlessHeld(userId, (manager) =>
      updateRows(manager, AuditLogEntity, { address: '', userAgent: null }, { actorId: userId }),
    );
    for await (const logs of this.batches({ subjectId: userId })) {
      await this.registry.writeUnlessHeld(userId, (manager) => this.eraseStates(manager, logs));
    }
  }

  private batches(where: { actorId: number } | { subjectId: number }): AsyncGenerator<AuditLogEntity[]> {
    return keysetBatches(this.database.manager, AuditLogEntity, where);
  }

  /** Updates all entries in one statement. It inserts none, because entries are never deleted. */
  private async eraseStates(manager: EntityManager, logs: AuditLogEntity[]): Promise<void> {
    const erased = logs.map((log) => {
      const personal = this.kinds.personalStateOf(log.targetType);
      return {
        ...log,
        before: withoutMembers(personal, log.before),
        after: withoutMembers(personal, log.after),
        reason: null,
      };
    });
    await upsertRows(manager, AuditLogEntity, erased, ['id'], ['before', 'after', 'reason']);
  }
}

/**
 * An administrator's action. The states before and after are omitted, because they are about other people or secret.
 */
function toActionRow(log: AuditLogEntity): object {
  return {
    id: log.id,
    action: log.action,
    target_type: log.targetType,
    target_id: log.targetId,
    api_key_id: log.apiKeyId,
    address: log.address,
    user_agent: log.userAgent,
    request_id: log.requestId,
    created_at: log.createdAt.toISOString(),
  };
}

function withoutMembers(names: readonly string[], state: AuditState | null): AuditState | null {
  return state && Object.fromEntries(Object.entries(state).filter(([name]) => !names.includes(name)));
}
