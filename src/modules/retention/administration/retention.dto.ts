import { ApiProperty } from '@nestjs/swagger';
import {
  RETENTION_KINDS,
  RETENTION_SCOPES,
  type RetentionKind,
  type RetentionScope,
} from '../policies/retention-kinds';
import type { RetentionPolicyEntity } from '../policies/retention-policy.entity';
import type { KindPreview } from '../sweeping/retention-preview';
import {
  type RetentionSweepEntity,
  SWEEP_STATUSES,
  SWEEP_TRIGGERS,
  type SweepStatus,
  type SweepTrigger,
} from '../sweeping/retention-sweep.entity';

/** A retention policy. */
export class RetentionPolicyDto {
  /** Id of the policy. @example 3 */
  id: number;

  /** Whose data it applies to. @example "service" */
  @ApiProperty({ enum: RETENTION_SCOPES })
  scope: RetentionScope;

  /** Id of the group; null for `service`. */
  @ApiProperty({ type: Number, nullable: true, example: null })
  scope_id: number | null;

  /** The data that it deletes. @example "chats" */
  @ApiProperty({ enum: RETENTION_KINDS })
  kind: RetentionKind;

  /** Days after which the data is deleted. Null: it is kept. @example 365 */
  days: number | null;

  /** When it takes effect. The previous rule applies until then. @example "2026-03-02T09:30:00.000Z" */
  effective_at: string;

  /** Note for administrators. Null if there is none. @example "Agreed with the data protection officer." */
  note: string | null;

  /** When it was created. @example "2026-03-01T09:30:00.000Z" */
  created_at: string;

  /** When it was last changed. @example "2026-03-01T09:30:00.000Z" */
  updated_at: string;
}

/** A deleted policy. */
export class DeletedRetentionPolicyDto {
  /** Id of the deleted policy. @example 3 */
  id: number;

  /** Always true. @example true */
  deleted: true;
}

/** What a sweep would do with data of one kind. */
export class RetentionPreviewKindDto {
  /** Kind of data. @example "chats" */
  @ApiProperty({ enum: RETENTION_KINDS })
  kind: RetentionKind;

  /** Rows that would be deleted: conversations for `chats`. @example 12 */
  count: number;

  /** Messages of the conversations; only for `chats`. @example 96 */
  messages?: number;

  /** Bytes of the files; only for `files`. @example 48213 */
  bytes?: number;

  /** Time of the oldest row. Null if there is none. @example "2025-01-31T09:30:00.000Z" */
  oldest: string | null;

  /** Due rows that legal holds keep. @example 0 */
  held: number;

  /** Ids of the oldest rows, at most 20. @example [7, 9] */
  sample: number[];
}

/** What a sweep would delete. */
export class RetentionPreviewDto {
  /** By kind. Kinds without a policy are left out. */
  kinds: RetentionPreviewKindDto[];
}

/** A sweep that has started. */
export class StartedSweepDto {
  /** Id of the sweep. @example 41 */
  sweep_id: number;
}

/** What a sweep deleted. */
class DeletedCountsDto {
  /** Conversations. @example 12 */
  chats: number;

  /** Messages of all branches. @example 96 */
  messages: number;

  /** Uploaded files. @example 2 */
  files: number;

  /** Bytes of the uploaded files. @example 48213 */
  bytes: number;

  /** Webhook events. @example 0 */
  events: number;

  /** Failed replies. @example 3 */
  failed_replies: number;

  /** Reply traces. @example 0 */
  traces: number;

  /** Rows of usage and cost. @example 0 */
  ledger: number;

  /** Rows of the audit log. @example 0 */
  audit: number;
}

/** Due data that legal holds keep. It is hidden from its owners. */
class HeldCountsDto {
  /** Conversations. @example 0 */
  chats: number;

  /** Uploaded files. @example 0 */
  files: number;
}

/** A sweep. */
export class RetentionSweepDto {
  /** Id of the sweep. @example 41 */
  id: number;

  /** What started it. @example "schedule" */
  @ApiProperty({ enum: SWEEP_TRIGGERS })
  trigger: SweepTrigger;

  /** `cut`: a shutdown, a crash or an unavailable database ended it, and the next sweep continues. @example "completed" */
  @ApiProperty({ enum: SWEEP_STATUSES })
  status: SweepStatus;

  /** When it started. @example "2026-03-01T09:00:00.000Z" */
  started_at: string;

  /** When it ended. Null while it runs. @example "2026-03-01T09:00:04.000Z" */
  ended_at: string | null;

  /** Id of the instance. @example "0b0f5b2e-7c53-4b9e-9f0a-1f9a3f1f0c11" */
  instance_id: string;

  /** What it deleted. */
  deleted: DeletedCountsDto;

  /** Due data that legal holds kept. */
  held: HeldCountsDto;
}

export function toRetentionPolicyDto(policy: RetentionPolicyEntity): RetentionPolicyDto {
  return {
    id: policy.id,
    scope: policy.scope,
    scope_id: policy.scopeId,
    kind: policy.kind,
    days: policy.days,
    effective_at: policy.effectiveAt.toISOString(),
    note: policy.note,
    created_at: policy.createdAt.toISOString(),
    updated_at: policy.updatedAt.toISOString(),
  };
}

export function toPreviewKindDto({ oldest, ...preview }: KindPreview): RetentionPreviewKindDto {
  return { ...preview, oldest: oldest?.toISOString() ?? null };
}

export function toRetentionSweepDto(sweep: RetentionSweepEntity): RetentionSweepDto {
  return {
    id: sweep.id,
    trigger: sweep.trigger,
    status: sweep.status,
    started_at: sweep.startedAt.toISOString(),
    ended_at: sweep.endedAt?.toISOString() ?? null,
    instance_id: sweep.instanceId,
    deleted: sweep.deleted,
    held: sweep.held,
  };
}
