import { Injectable, StreamableFile } from '@nestjs/common';
import { FindOptionsWhere } from 'typeorm';
import { csvList } from '../../../common/csv/csv';
import { Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { Database } from '../../../database/database';
import { nextOf, sortedPage } from '../../../database/statements/list-rows';
import type { RowsOf } from '../../../database/statements/row-condition';
import { inTimeRange } from '../../../database/statements/time-range';
import { UserDirectoryQuery } from '../../user/user.api';
import { AUDIT_LOG_FIELDS, AuditLogDto, AuditQueryDto, toAuditLogDto } from './audit.dto';
import { AuditLogEntity } from './audit-log.entity';

/** Reads the log of administrators' actions, and of users' actions on their API keys. `AuditTrail` writes it. */
@Injectable()
export class AuditService {
  constructor(
    private readonly database: Database,
    private readonly users: UserDirectoryQuery,
  ) {}

  /** Newest entries first: one page, or all matching ones as a file. */
  find(query: AuditQueryDto): Promise<Page<AuditLogDto> | StreamableFile> {
    return query.format === 'csv' ? this.file(query) : this.list(query);
  }

  private async list(query: AuditQueryDto): Promise<Page<AuditLogDto>> {
    const { items, total } = await sortedPage(...this.matching(query), orderOf(query.sort), COLUMNS, partOf(query));
    return toPage(await this.describe(items), total, query);
  }

  private file(query: AuditQueryDto): Promise<StreamableFile> {
    return csvList('audit-logs', AUDIT_LOG_FIELDS, async (last?: AuditLogDto) =>
      this.describe(await nextOf(...this.matching(query), last?.id)),
    );
  }

  private matching(query: AuditQueryDto): RowsOf<AuditLogEntity> {
    return [this.database.manager, AuditLogEntity, conditionsOf(query)];
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
