import { ApiProperty } from '@nestjs/swagger';
import type { Page } from '../../../common/envelope/page.dto';
import { bodySchema, EVENT_KINDS, EVENT_TYPES, EventBody, exampleBody } from './event-catalogue';

/** The kind that the documentation shows. */
const [SHOWN] = Object.entries(EVENT_KINDS)
  .filter(([type]) => type === 'message.completed')
  .map(([type, kind]) => ({ body: exampleBody(type, kind), schema: bodySchema(type, kind) }));

/** One kind of event. */
export class EventKindDto {
  /** What to subscribe to. @example "message.completed" */
  @ApiProperty({ enum: EVENT_TYPES })
  type: string;

  /** When it happens. @example "A reply is complete." */
  description: string;

  /** A body as endpoints get it. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: SHOWN?.body })
  example: EventBody;

  /** JSON Schema (2020-12) of the body. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: SHOWN?.schema })
  schema: Record<string, unknown>;
}

const items: EventKindDto[] = Object.entries(EVENT_KINDS).map(([type, kind]) => ({
  type,
  description: kind.description,
  example: exampleBody(type, kind),
  schema: bodySchema(type, kind),
}));

/** Everything that endpoints can subscribe to, always on one page. */
export const EVENT_CATALOGUE: Page<EventKindDto> = {
  items,
  pagination: { page: 1, size: items.length, total: items.length, pages: 1 },
};
