import { ApiProperty } from '@nestjs/swagger';
import { StreamTicketDto } from '../api-key/api-key.api';

/** The data of an event of the feed. */
export class FeedEventDto {
  /** Same as in webhooks. @example "evt_5f0c1b7d9a3e4c2f8b6d7e1a2c3b4d5e" */
  id: string;

  /** The type of the event, which is also in the `event:` line. */
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

/** The data of `reset`: events may be missing, so reload the data that you show. */
export class FeedResetDto {
  /** The place from which the feed continues. @example 1769851800000 */
  id: number;
}

/** Opens the feed without another request. */
export class FeedEntranceDto extends StreamTicketDto {
  /**
   * For `after` of GET /events: changes after this response follow it. Null: once the feed is open, reload the data
   * that you show.
   *
   * @example 1769851800000
   */
  place: number | null;
}
