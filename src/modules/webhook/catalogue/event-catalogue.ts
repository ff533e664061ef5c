import type { EventKind } from '../../../common/events/event-definition';

/** The JSON body that endpoints receive. `data` depends on the type. */
export interface EventBody {
  /** `evt_…`, the same for every attempt. */
  id: string;
  type: string;
  /** When the event happened, in ISO 8601. */
  timestamp: string;
  api_version: 'v1';
  data: Record<string, unknown>;
}

/** The body of an example event. */
export function exampleBody({ type, example }: EventKind): EventBody {
  return {
    id: 'evt_5f0c1b7d9a3e4c2f8b6d7e1a2c3b4d5e',
    type,
    timestamp: '2026-01-31T09:30:00.000Z',
    api_version: 'v1',
    data: { ...example },
  };
}

/** JSON Schema (2020-12) of the body. It allows additional members, because later releases may add some. */
export function bodySchema({ type, description, fields, content }: EventKind): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: type,
    description,
    type: 'object',
    required: ['id', 'type', 'timestamp', 'api_version', 'data'],
    properties: {
      id: { type: 'string', description: 'The same for every attempt; also sent as the header `webhook-id`.' },
      type: { const: type },
      timestamp: { type: 'string', format: 'date-time', description: 'When the event occurred.' },
      api_version: { const: 'v1' },
      data: {
        type: 'object',
        required: Object.keys(fields),
        properties: { ...fields, ...content },
      },
    },
  };
}
