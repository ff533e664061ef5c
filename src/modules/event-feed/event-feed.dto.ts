import { ApiProperty } from '@nestjs/swagger';
import { StreamTicketDto } from '../api-key/api-key.api';

/** The data of an event of the feed. */
export class FeedEventDto {
  /** The same as in webhooks. @example "evt_5f0c1b7d9a3e4c2f8b6d7e1a2c3b4d5e" */
  id: string;

  /** What happened; the `event:` line says it too. */
  @ApiProperty({ type: String, example: 'chat.deleted' })
  type: string;

  /** When it happened. @example "2026-01-31T09:30:00.000Z" */
  timestamp: string;

  /** Facts of the event, as in webhooks without content. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { chat_id: 12, user_id: 7, agent_id: 1 },
  })
  data: Record<string, unknown>;
}

/** The data of `reset`: something may be missing, so read again what you show. */
export class FeedResetDto {
  /** The place from which the feed goes on. @example 1769851800000 */
  id: number;
}

/** Opens the feed without another request. */
export class FeedEntranceDto extends StreamTicketDto {
  /**
   * For `after` of GET /events: what changed after this answer comes behind it. Null: read again what you show when the feed is open.
   * @example 1769851800000
   */
  place: number | null;
}
