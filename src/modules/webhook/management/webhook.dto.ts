import { ApiProperty } from '@nestjs/swagger';
import type { DisabledReason, WebhookEndpointEntity, WebhookScope } from '../endpoint/webhook-endpoint.entity';

/** An endpoint that receives events. */
export class WebhookDto {
  /** Id of the endpoint. @example 3 */
  id: number;

  /** Id of the owner. @example 7 */
  user_id: number;

  /** Where events are sent to. @example https://hooks.example.com/chat */
  url: string;

  /** Subscribed event types. @example ["message.*", "chat.created"] */
  events: string[];

  /** The owner's note, which may be empty. @example "Syncs conversations into our CRM." */
  description: string;

  /** Whether events contain what users wrote and agents replied. @example false */
  include_content: boolean;

  /** Whether events are sent. @example true */
  is_active: boolean;

  /** `own`: the owner's events; `all`: all users' events while the owner is an administrator. @example "own" */
  @ApiProperty({ enum: ['own', 'all'] })
  scope: WebhookScope;

  /**
   * Why the service disabled the endpoint: `gone` (response 410) or `failing` (only failures for five days), else null.
   */
  @ApiProperty({ enum: ['gone', 'failing'], nullable: true, type: String })
  disabled_reason: DisabledReason | null;

  /** When the service disabled the endpoint, else null. @example "2026-02-05T09:30:00.000Z" */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  disabled_at: string | null;

  /** First failure since the last success. Null if there was none. @example "2026-01-31T09:30:00.000Z" */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  failing_since: string | null;

  /** Failed attempts since the last success. @example 0 */
  failure_count: number;

  /** When a delivery last succeeded. Null if none has. @example "2026-01-31T09:30:00.000Z" */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_success_at: string | null;

  /** When an attempt last failed. Null if none has. @example "2026-01-31T09:30:00.000Z" */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_failure_at: string | null;

  /** When the previous secret stops signing. Null if there is none. @example "2026-02-01T09:30:00.000Z" */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  previous_secret_expires_at: string | null;

  /** When the endpoint was added. @example 2026-01-31T09:30:00.000Z */
  created_at: string;

  /** When the endpoint was last changed. @example 2026-01-31T09:30:00.000Z */
  updated_at: string;
}

/** An endpoint in the list of all users' endpoints. */
export class ListedWebhookDto extends WebhookDto {
  /** Current name of the owner. Null if the account is closed. @example ada */
  username: string | null;
}

/** An endpoint with its signing secret, which is shown only when it is created or rotated. */
export class WebhookWithSecretDto extends WebhookDto {
  /** Verifies the deliveries. Keep it secret. @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw */
  secret: string;
}

/** A deleted endpoint. */
export class DeletedWebhookDto {
  /** Id of the deleted endpoint. @example 3 */
  id: number;
}

/** The DTO does not contain the secret. */
export function toWebhookDto(endpoint: WebhookEndpointEntity): WebhookDto {
  return {
    id: endpoint.id,
    user_id: endpoint.userId,
    url: endpoint.url,
    events: endpoint.events,
    description: endpoint.description,
    include_content: endpoint.includeContent,
    is_active: endpoint.isActive,
    scope: endpoint.scope,
    disabled_reason: endpoint.disabledReason,
    disabled_at: endpoint.disabledAt?.toISOString() ?? null,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    failure_count: endpoint.failureCount,
    last_success_at: endpoint.lastSuccessAt?.toISOString() ?? null,
    last_failure_at: endpoint.lastFailureAt?.toISOString() ?? null,
    previous_secret_expires_at: endpoint.previousSecrets.at(-1)?.expires_at ?? null,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}

export function toWebhookWithSecretDto(endpoint: WebhookEndpointEntity, secret: string): WebhookWithSecretDto {
  return { ...toWebhookDto(endpoint), secret };
}
