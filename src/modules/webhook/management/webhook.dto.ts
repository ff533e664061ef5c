import { ApiProperty } from '@nestjs/swagger';
import type { DisabledReason, WebhookEndpointEntity, WebhookScope } from '../endpoint/webhook-endpoint.entity';

/** An endpoint that gets events. */
export class WebhookDto {
  /** Used in the paths below it. @example 3 */
  id: number;

  /** The owner. @example 7 */
  user_id: number;

  /** Where events are posted to. @example https://hooks.example.com/chat */
  url: string;

  /** What it gets. @example ["message.*", "chat.created"] */
  events: string[];

  /** The owner's note; may be empty. @example "Syncs conversations into our CRM." */
  description: string;

  /** Whether events contain what people wrote and agents answered. @example false */
  include_content: boolean;

  /** Whether events are sent. @example true */
  is_active: boolean;

  /** The owner's events, or everybody's while the owner is an administrator. @example "own" */
  @ApiProperty({ enum: ['own', 'all'] })
  scope: WebhookScope;

  /** Why the service disabled it: `gone` (it answered 410) or `failing` (five days of only failures); else null. */
  @ApiProperty({ enum: ['gone', 'failing'], nullable: true, type: String })
  disabled_reason: DisabledReason | null;

  /** When the service disabled it; null: it did not. @example "2026-02-05T09:30:00.000Z" */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  disabled_at: string | null;

  /** First failure since the last success; null: none. @example "2026-01-31T09:30:00.000Z" */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  failing_since: string | null;

  /** Failed attempts since the last success. @example 0 */
  failure_count: number;

  /** When a delivery last succeeded; null: never. @example "2026-01-31T09:30:00.000Z" */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_success_at: string | null;

  /** When an attempt last failed; null: never. @example "2026-01-31T09:30:00.000Z" */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_failure_at: string | null;

  /** Until when the previous secret also signs; null: it does not. @example "2026-02-01T09:30:00.000Z" */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  previous_secret_expires_at: string | null;

  /** When it was added. @example 2026-01-31T09:30:00.000Z */
  created_at: string;

  /** When it was last changed. @example 2026-01-31T09:30:00.000Z */
  updated_at: string;
}

/** An endpoint in a list of those of all users. */
export class ListedWebhookDto extends WebhookDto {
  /** The owner's present name; null once the account is closed. @example ada */
  username: string | null;
}

/** An endpoint with its signing secret, which is shown only when it is made. */
export class WebhookWithSecretDto extends WebhookDto {
  /** Verifies the deliveries; keep it safe. @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw */
  secret: string;
}

/** An endpoint that was removed. */
export class DeletedWebhookDto {
  /** The removed endpoint. @example 3 */
  id: number;
}

/** The secret is not part of it. */
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
