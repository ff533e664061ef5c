import { ApiProperty } from '@nestjs/swagger';
import { eventKind } from '../../../common/events/event-definition';
import { DeliveryDetailDto, DeliveryDto } from '../management/delivery.dto';
import { CreateWebhookDto, UpdateWebhookDto } from '../management/webhook-body.dto';
import { subscriptionLimit } from '../management/webhook-fields';
import { bodySchema, eventTypes, exampleBody } from './event-catalogue';
import { EventKindDto } from './event-catalogue.dto';

/** The kind of event that the documentation shows as its example: a short one. */
const SHOWN = 'chat.deleted';

/**
 * Writes the types of events into the validation rules and the documentation of the DTOs. Decorators run while modules load,
 * and the types are complete only after that. So this is called when the application is built.
 */
export function documentEvents(): void {
  const types = eventTypes();
  subscriptionLimit[0] = types.length;
  for (const { prototype } of [CreateWebhookDto, UpdateWebhookDto]) {
    ApiProperty({ maxItems: types.length })(prototype, 'events');
  }
  const documentation = { enum: types, enumName: 'EventType' };
  ApiProperty(documentation)(EventKindDto.prototype, 'type');
  ApiProperty(documentation)(DeliveryDto.prototype, 'event');
  const shown = eventKind(SHOWN);
  if (shown) {
    ApiProperty({ example: exampleBody(shown) })(EventKindDto.prototype, 'example');
    // In short: the body beside it has all members.
    const schema = { ...bodySchema(shown), properties: { type: { const: SHOWN } } };
    ApiProperty({ example: schema })(EventKindDto.prototype, 'schema');
    ApiProperty({ example: exampleBody(shown) })(DeliveryDetailDto.prototype, 'payload');
  }
}
