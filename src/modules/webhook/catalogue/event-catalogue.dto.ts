import { ApiProperty } from '@nestjs/swagger';
import { onePage, type Page } from '../../../common/envelope/page.dto';
import type { EventKind } from '../../../common/events/event-definition';
import { bodySchema, type EventBody, exampleBody } from './event-catalogue';

/** One event type. `documentEvents` sets the examples. */
export class EventKindDto {
  /** The type to subscribe to. @example "message.completed" */
  @ApiProperty({ type: String })
  type: string;

  /** When the event happens. @example "A reply is complete." */
  description: string;

  /** An example body. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  example: EventBody;

  /** JSON Schema (2020-12) of the body. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  schema: Record<string, unknown>;
}

/** All events that endpoints can subscribe to, on one page. */
export function eventCatalogue(kinds: readonly EventKind[]): Page<EventKindDto> {
  return onePage(
    kinds.map((kind) => ({
      type: kind.type,
      description: kind.description,
      example: exampleBody(kind),
      schema: bodySchema(kind),
    })),
  );
}
