import { Injectable, StreamableFile } from '@nestjs/common';
import { EntityManager, FindOptionsWhere, SelectQueryBuilder } from 'typeorm';
import { AuditState, loggedState } from '../../../common/audit/audit-state';
import { Clock } from '../../../common/clock';
import { csvList } from '../../../common/csv/csv';
import { Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { Database } from '../../../database/database';
import { nextRows, sortedRows } from '../../../database/statements/list-rows';
import { inTimeRange } from '../../../database/statements/time-range';
import { UserDirectoryQuery } from '../../user/user.api';
import { AUDIT_LOG_FIELDS, AuditLogDto, AuditQueryDto, toAuditLogDto } from './audit.dto';
import { AuditLogEntity } from './audit-log.entity';
import { AuditActor, AuditScope } from './audit-scope';

/** What was done, and to what. */
export interface AuditEntry {
  /** `<subject>.<verb>`, such as `user.ban`. */
  action: string;
  targetType: string;
  targetId: string | number | null;
  /** The owner of the account, conversation or webhook; absent: nobody. */
  subjectId?: number;
  /** The changed fields before the change. */
  before?: AuditState | null;
  /** The changed fields after the change. */
  after?: AuditState | null;
  reason?: string | null;
}

/** The log of what administrators do, and users with their API keys. Entries are added and read, but never changed. */
@Injectable()
export class AuditService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly scope: AuditScope,
    private readonly users: UserDirectoryQuery,
  ) {}

  /** Call it within the `Database.write` of the change: then the entry exists if and only if the change does. */
  async record(manager: EntityManager, actor: AuditActor, entry: AuditEntry): Promise<void> {
    await manager.insert(AuditLogEntity, {
      actorId: actor.principal?.userId ?? 0,
      apiKeyId: actor.principal?.apiKeyId ?? null,
      address: actor.address.slice(0, 45),
      userAgent: actor.userAgent?.slice(0, 512) ?? null,
      requestId: actor.requestId.slice(0, 64),
      action: entry.action.slice(0, 128),
      targetType: entry.targetType.slice(0, 32),
      targetId: entry.targetId === null ? null : String(entry.targetId).slice(0, 64),
      subjectId: entry.subjectId ?? null,
      // TypeORM's type for partial rows does not fit free JSON.
      before: loggedState(entry.before) as never,
      after: loggedState(entry.after) as never,
      reason: entry.reason ?? null,
      createdAt: this.clock.now(),
    });
    const request = this.scope.current;
    if (request) {
      this.database.onCommit(() => (request.isRecorded = true));
    }
  }

  /** The newest entries first: one page, or all matching ones as a file. */
  find(query: AuditQueryDto): Promise<Page<AuditLogDto> | StreamableFile> {
    return query.format === 'csv' ? this.file(query) : this.list(query);
  }

  private async list(query: AuditQueryDto): Promise<Page<AuditLogDto>> {
    const { items, total } = await sortedRows(this.matching(query), orderOf(query.sort), COLUMNS, partOf(query));
    return toPage(await this.describe(items), total, query);
  }

  private file(query: AuditQueryDto): Promise<StreamableFile> {
    return csvList('audit-logs', AUDIT_LOG_FIELDS, async (last?: AuditLogDto) =>
      this.describe(await nextRows(this.matching(query), last?.id)),
    );
  }

  private matching(query: AuditQueryDto): SelectQueryBuilder<AuditLogEntity> {
    return this.database.repository(AuditLogEntity).createQueryBuilder('log').where(conditionsOf(query));
  }

  private async describe(logs: AuditLogEntity[]): Promise<AuditLogDto[]> {
    const names = await this.users.usernames(logs.map(({ actorId }) => actorId));
    return logs.map((log) => toAuditLogDto(log, names.get(log.actorId) ?? null));
  }
}

const COLUMNS = { id: 'id', created_at: 'createdAt' } as const;

function conditionsOf(query: AuditQueryDto): FindOptionsWhere<AuditLogEntity> {
  const createdAt = inTimeRange(query);
  return {
    ...(query.actor_id !== undefined && { actorId: query.actor_id }),
    ...(query.api_key_id !== undefined && { apiKeyId: query.api_key_id }),
    ...(query.action !== undefined && { action: query.action }),
    ...(query.target !== undefined && targetOf(query.target)),
    ...(createdAt && { createdAt }),
  };
}

/** `user`, `user:42` or `42`. */
function targetOf(target: string): { targetType?: string; targetId?: string } {
  if (/^\d/.test(target)) {
    return { targetId: target };
  }
  const [targetType, targetId] = target.split(':');
  return { targetType, ...(targetId !== undefined && { targetId }) };
}
