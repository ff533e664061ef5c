import { ApiProperty } from '@nestjs/swagger';
import type { Page } from '../../../common/envelope/page.dto';
import type { EventKind } from '../../../common/events/event-definition';
import { bodySchema, type EventBody, exampleBody } from './event-catalogue';

/** One kind of event. `documentEvents` sets the examples. */
export class EventKindDto {
  /** What to subscribe to. @example "message.completed" */
  @ApiProperty({ type: String })
  type: string;

  /** When it happens. @example "A reply is complete." */
  description: string;

  /** An example of the body. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  example: EventBody;

  /** JSON Schema (2020-12) of the body. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  schema: Record<string, unknown>;
}

/** All events that endpoints can subscribe to, on one page. */
export function eventCatalogue(kinds: readonly EventKind[]): Page<EventKindDto> {
  const items = kinds.map((kind) => ({
    type: kind.type,
    description: kind.description,
    example: exampleBody(kind),
    schema: bodySchema(kind),
  }));
  return { items, pagination: { page: 1, size: items.length, total: items.length, pages: 1 } };
}
