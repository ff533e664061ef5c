import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../../common/events/domain-events';
import type { EventKind } from '../../../common/events/event-definition';
import { ContentAccessConfig } from '../../../config/content-access.config';
import type { EventBody } from '../catalogue/event-catalogue';
import type { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import type { WebhookEventEntity } from './webhook-event.entity';

/** Most bytes, in UTF-8, of each text of the content. */
const CONTENT_LIMIT = 16_384;

/** Creates the event bodies that endpoints receive. */
@Injectable()
export class EventBodies {
  constructor(private readonly config: ContentAccessConfig) {}

  make(
    event: Omit<WebhookEventEntity, 'id' | 'endpointId' | 'dispatchedAt'>,
    endpoint: Pick<WebhookEndpointEntity, 'includeContent' | 'userId'>,
  ): EventBody {
    return {
      id: event.publicId,
      type: event.type,
      timestamp: event.occurredAt.toISOString(),
      api_version: 'v1',
      data: this.hasContent(event, endpoint) ? { ...event.data, ...event.content } : event.data,
    };
  }

  /** Other users' content goes to an administrator's endpoint only if the operator lets administrators read it. */
  hasContent(
    event: Pick<WebhookEventEntity, 'userId'>,
    endpoint: Pick<WebhookEndpointEntity, 'includeContent' | 'userId'>,
  ): boolean {
    return endpoint.includeContent && (event.userId === endpoint.userId || this.config.ADMIN_CONTENT_ACCESS);
  }
}

/** The stored content of an event. Texts over 16 KB are cut, never within a character. */
export function keptContent(content: DomainEvent['content']): Record<string, string | null> | null {
  return content === undefined
    ? null
    : Object.fromEntries(Object.entries(content).map(([name, text]) => [name, cut(text)]));
}

/** The data of an event about an erased account: its personal members are emptied. */
export function withoutPerson(kind: EventKind | undefined, data: Record<string, unknown>): Record<string, unknown> {
  // If no module defines the type any more, all members count as personal.
  const personal = kind?.personal ?? Object.keys(data);
  const emptied = { ...data };
  for (const name of personal.filter((member) => Object.hasOwn(data, member))) {
    emptied[name] = empty(data[name]);
  }
  return emptied;
}

/** A value of the same JSON type without information, so that the body still fits its schema. */
function empty(value: unknown): unknown {
  if (typeof value === 'string') {
    return '';
  }
  if (Array.isArray(value)) {
    return [];
  }
  return typeof value === 'object' || value === undefined ? null : value;
}

function cut(text: string | null): string | null {
  // Each UTF-16 unit takes at most three bytes in UTF-8.
  if (text === null || text.length * 3 <= CONTENT_LIMIT) {
    return text;
  }
  const bytes = Buffer.from(text.slice(0, CONTENT_LIMIT + 1), 'utf8');
  if (bytes.length <= CONTENT_LIMIT) {
    return text;
  }
  let end = CONTENT_LIMIT;
  // Bytes of the form 10xxxxxx continue a character (RFC 3629 §3).
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) {
    end--;
  }
  return bytes.toString('utf8', 0, end);
}
