import { ApiProperty } from '@nestjs/swagger';
import type { EventKinds } from '../../../common/events/event-kinds';
import { DeliveryDetailDto, DeliveryDto } from '../management/delivery.dto';
import { CreateWebhookDto, UpdateWebhookDto } from '../management/webhook-body.dto';
import { SUBSCRIPTIONS } from '../management/webhook-fields';
import { bodySchema, exampleBody } from './event-catalogue';
import { EventKindDto } from './event-catalogue.dto';

/** The event type that the API document shows as an example, because it is short. */
const SHOWN = 'chat.deleted';

/**
 * Writes the event types into the validation rules and the API document of the DTOs. Decorators run while modules load,
 * before all types are known, so this is called when the application is built.
 */
export function documentEvents(kinds: EventKinds): void {
  const types = kinds.all.map(({ type }) => type);
  SUBSCRIPTIONS.types = types;
  SUBSCRIPTIONS.limit[0] = types.length;
  for (const { prototype } of [CreateWebhookDto, UpdateWebhookDto]) {
    ApiProperty({ maxItems: types.length })(prototype, 'events');
  }
  const documentation = { enum: types, enumName: 'EventType' };
  ApiProperty(documentation)(EventKindDto.prototype, 'type');
  ApiProperty(documentation)(DeliveryDto.prototype, 'event');
  const shown = kinds.find(SHOWN);
  if (shown) {
    ApiProperty({ example: exampleBody(shown) })(EventKindDto.prototype, 'example');
    // Shortened: the example body lists all members.
    const schema = { ...bodySchema(shown), properties: { type: { const: SHOWN } } };
    ApiProperty({ example: schema })(EventKindDto.prototype, 'schema');
    ApiProperty({ example: exampleBody(shown) })(DeliveryDetailDto.prototype, 'payload');
  }
}
