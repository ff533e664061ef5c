import { ApiProperty } from '@nestjs/swagger';
import type { EventBody } from '../catalogue/event-catalogue';
import {
  DELIVERY_STATUSES,
  DeliveryStatus,
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
} from '../delivery/webhook-delivery.entity';

/** The delivery of one event to one endpoint. */
export class DeliveryDto {
  /** Id of the delivery. @example 41 */
  id: number;

  /** Id of the endpoint. @example 3 */
  webhook_id: number;

  /** Value of the header `webhook-id` and of the body's `id`. @example evt_5f0c1b7d9a3e4c2f8b6d7e1a2c3b4d5e */
  event_id: string;

  /** Type of the event. @example "message.completed" */
  @ApiProperty({ type: String })
  event: string;

  /**
   * `pending`: an attempt is planned; `failed`: no further attempt, unless the delivery is sent again.
   * @example "succeeded"
   */
  @ApiProperty({ enum: DELIVERY_STATUSES })
  status: DeliveryStatus;

  /** Attempts so far. @example 1 */
  attempt_count: number;

  /** When the next attempt is due. Null if none is planned. @example "2026-01-31T09:30:05.000Z" */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  next_attempt_at: string | null;

  /** When the last attempt was made. Null if there was none. @example "2026-01-31T09:30:00.010Z" */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_attempt_at: string | null;

  /** When the delivery succeeded or finally failed, else null. @example "2026-01-31T09:30:00.095Z" */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  completed_at: string | null;

  /** When the event happened. @example 2026-01-31T09:30:00.000Z */
  created_at: string;
}

/** Columns of the CSV file of deliveries. */
export const DELIVERY_FIELDS = [
  'id',
  'webhook_id',
  'event_id',
  'event',
  'status',
  'attempt_count',
  'next_attempt_at',
  'last_attempt_at',
  'completed_at',
  'created_at',
] as const satisfies readonly (keyof DeliveryDto)[];

/** One delivery attempt. */
export class AttemptDto {
  /** When the attempt started. @example 2026-01-31T09:30:00.010Z */
  started_at: string;

  /** Milliseconds until the response or failure. @example 85 */
  duration_ms: number;

  /** HTTP status of the response. Null if there was none. */
  @ApiProperty({ type: Number, nullable: true, example: 200 })
  status_code: number | null;

  /** Failure reason, such as `timeout`, `connection_failed`, `status`, `redirect` or `forbidden_target`, else null. */
  @ApiProperty({ type: String, nullable: true, example: null })
  error: string | null;

  /** The first kilobyte of the response. Null if there was none. */
  @ApiProperty({ type: String, nullable: true, example: 'ok' })
  response_body: string | null;
}

/** A delivery with its body and its attempts. */
export class DeliveryDetailDto extends DeliveryDto {
  /** The body that the endpoint receives. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  payload: EventBody;

  /** The last attempts, at most ten, oldest first. */
  @ApiProperty({ type: [AttemptDto] })
  attempts: AttemptDto[];
}

/** The result of a replay. */
export class ReplayResultDto {
  /** Number of resent events. @example 12 */
  replayed: number;
}

export function toDeliveryDto(delivery: WebhookDeliveryEntity, eventId: string): DeliveryDto {
  return {
    id: delivery.id,
    webhook_id: delivery.endpointId,
    event_id: eventId,
    event: delivery.eventType,
    status: delivery.status,
    attempt_count: delivery.attemptCount,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
    completed_at: delivery.completedAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
  };
}

export function toAttemptDto(attempt: WebhookAttemptEntity): AttemptDto {
  return {
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error: attempt.error,
    response_body: attempt.responseBody,
  };
}
