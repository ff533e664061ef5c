import { AGENT_EVENT_KINDS } from './agent-event-kinds';
import { CHAT_EVENT_KINDS } from './chat-event-kinds';
import { type EventKind, type EventKinds } from './event-kind';
import { SERVICE_EVENT_KINDS, USER_EVENT_KINDS } from './user-event-kinds';

/** Every kind of event that this version of the API promises (specification §6). */
export const EVENT_KINDS: EventKinds = {
  ...USER_EVENT_KINDS,
  ...CHAT_EVENT_KINDS,
  ...AGENT_EVENT_KINDS,
  ...SERVICE_EVENT_KINDS,
};

export const EVENT_TYPES = Object.keys(EVENT_KINDS);

/** What receivers get, as JSON; `data` depends on the type. */
export interface EventBody {
  /** `evt_…`, the same at every attempt. */
  id: string;
  type: string;
  /** When it happened, ISO 8601. */
  timestamp: string;
  api_version: 'v1';
  data: Record<string, unknown>;
}

const groups = new Set(EVENT_TYPES.map((type) => `${type.split('.')[0]}.*`));

/** Whether `pattern` is a known event type, a group of them such as `message.*`, or `*`. */
export function isSubscription(pattern: unknown): boolean {
  return typeof pattern === 'string' && (pattern === '*' || groups.has(pattern) || Object.hasOwn(EVENT_KINDS, pattern));
}

/** Whether one of the patterns covers the event type; modules may publish types that the catalogue does not list. */
export function isSubscribed(patterns: readonly string[], type: string): boolean {
  return patterns.some(
    (pattern) =>
      pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
  );
}

/** The body of an example event. */
export function exampleBody(type: string, { example }: EventKind): EventBody {
  return {
    id: 'evt_5f0c1b7d9a3e4c2f8b6d7e1a2c3b4d5e',
    type,
    timestamp: '2026-01-31T09:30:00.000Z',
    api_version: 'v1',
    data: example,
  };
}

/** JSON Schema (2020-12) of the body. Members may be added in later releases, so further ones are allowed. */
export function bodySchema(type: string, { description, fields, content }: EventKind): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: type,
    description,
    type: 'object',
    required: ['id', 'type', 'timestamp', 'api_version', 'data'],
    properties: {
      id: { type: 'string', description: 'The same at every attempt; also the header webhook-id.' },
      type: { const: type },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
      api_version: { const: 'v1' },
      data: {
        type: 'object',
        required: Object.keys(fields),
        properties: { ...fields, ...content },
      },
    },
  };
}
