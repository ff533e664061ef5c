import { IsInt, Matches, Max, Min } from 'class-validator';
import { PageOrFileQueryDto } from '../../../common/csv/csv-query.dto';
import { type Sort, SortParameter } from '../../../common/envelope/sort';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { TimeParameter } from '../../../common/validation/times';
import type { AuditLogEntity } from './audit-log.entity';

const AUDIT_SORT_FIELDS = ['id', 'created_at'] as const;
export type AuditSortField = (typeof AUDIT_SORT_FIELDS)[number];

/** Filters for log entries. */
export class AuditQueryDto extends PageOrFileQueryDto {
  /** Id of the actor. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  actor_id?: number;

  /** Id of the API key of the request. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  api_key_id?: number;

  /** Action, such as `user.ban`. */
  @OptionalField()
  @Matches(/^[\w.:{}/ -]{1,128}$/)
  @MaxLength(128)
  action?: string;

  /** Target: a type, such as `user`, a type with an id, such as `user:42`, or an id of any type. */
  @OptionalField()
  @Matches(/^([1-9]\d{0,15}|[a-z_]{1,32}(:[\w.-]{1,64})?)$/)
  @MaxLength(97)
  target?: string;

  @TimeParameter('Start of the period: a UTC day or an instant.')
  from?: string;

  @TimeParameter('End of the period, inclusive: a UTC day or an instant.')
  to?: string;

  @SortParameter(AUDIT_SORT_FIELDS, '-id')
  sort: Sort<AuditSortField> = '-id';
}

/** An entry of the audit log. */
export class AuditLogDto {
  /** Id of the entry, in ascending order. @example 118 */
  id: number;

  /**
   * Id of the administrator, or of the user for actions on the user's own API keys. Null for the service itself and for
   * the command line.
   * @example 1
   */
  actor_id: number | null;

  /** Current name of the actor. Null if the account is closed. @example "ada" */
  actor_username: string | null;

  /** Id of the API key of the request. Null if an access token was used. @example 7 */
  api_key_id: number | null;

  /** The client's IP address. @example "203.0.113.7" */
  address: string;

  /** The client's user agent. Null if it sent none. @example "Mozilla/5.0" */
  user_agent: string | null;

  /** X-Request-Id of the request. @example "0b0f5b2e-7c53-4b9e-9f0a-1f9a3f1f0c11" */
  request_id: string;

  /** `<subject>.<verb>`, or the method and path of the route. @example "user.update" */
  action: string;

  /** Type of the target. @example "user" */
  target_type: string;

  /** An id or name. Null if the action has no single target. @example "42" */
  target_id: string | null;

  /** Id of the owner of the account, conversation or webhook. Null if there is none. @example 42 */
  subject_id: number | null;

  /** The changed fields before the change. Secrets are shown as `[hidden]`. @example { "membership_type": "free" } */
  before: Record<string, unknown> | null;

  /** The changed fields after the change. @example { "membership_type": "monthly" } */
  after: Record<string, unknown> | null;

  /** The administrator's reason. Null if the action needs none. @example "Complaint 4711: check for abuse." */
  reason: string | null;

  /** When the action was performed. @example "2026-07-31T12:00:00.000Z" */
  created_at: string;
}

/** Columns of the CSV file of the log. */
export const AUDIT_LOG_FIELDS = [
  'id',
  'created_at',
  'actor_id',
  'actor_username',
  'address',
  'user_agent',
  'request_id',
  'action',
  'target_type',
  'target_id',
  'subject_id',
  'before',
  'after',
  'reason',
  'api_key_id',
] as const satisfies readonly (keyof AuditLogDto)[];

export function toAuditLogDto(log: AuditLogEntity, actorName: string | null): AuditLogDto {
  return {
    id: log.id,
    // 0 is stored for the service itself.
    actor_id: log.actorId || null,
    actor_username: actorName,
    api_key_id: log.apiKeyId,
    address: log.address,
    user_agent: log.userAgent,
    request_id: log.requestId,
    action: log.action,
    target_type: log.targetType,
    target_id: log.targetId,
    subject_id: log.subjectId,
    before: log.before,
    after: log.after,
    reason: log.reason,
    created_at: log.createdAt.toISOString(),
  };
}
