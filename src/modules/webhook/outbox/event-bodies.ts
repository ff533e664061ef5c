import { Injectable } from '@nestjs/common';
import type { EventBody } from '../catalogue/event-catalogue';
import type { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { WebhookConfig } from '../webhook.config';
import type { WebhookEventEntity } from './webhook-event.entity';

/** Makes what endpoints get of an event. */
@Injectable()
export class EventBodies {
  constructor(private readonly config: WebhookConfig) {}

  /** The body for an endpoint. */
  make(event: WebhookEventEntity, endpoint: Pick<WebhookEndpointEntity, 'includeContent' | 'userId'>): EventBody {
    return {
      id: event.publicId,
      type: event.type,
      timestamp: event.occurredAt.toISOString(),
      api_version: 'v1',
      data: this.hasContent(event, endpoint) ? { ...event.data, ...event.content } : event.data,
    };
  }

  /** What others wrote is for administrators' eyes only where the operator allows that anywhere. */
  hasContent(
    event: Pick<WebhookEventEntity, 'userId'>,
    endpoint: Pick<WebhookEndpointEntity, 'includeContent' | 'userId'>,
  ): boolean {
    return endpoint.includeContent && (event.userId === endpoint.userId || this.config.ADMIN_CONTENT_ACCESS);
  }
}
