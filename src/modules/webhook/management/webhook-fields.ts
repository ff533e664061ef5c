import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMinSize, IsArray, IsString, MaxLength } from 'class-validator';
import { FieldRule, NoDuplicates } from '../../../common/validation/fields';
import { isSubscription } from '../catalogue/event-catalogue';

const LONGEST_URL = 2_048;

/** How many subscriptions an endpoint may have: one for each type. `documentEvents` sets it when all types are known. */
export const subscriptionLimit: [number] = [0];

/** An http or https URL without white space and control characters: people do not see them, and URL parsers drop them. */
export const WebhookUrlField = (): PropertyDecorator =>
  applyDecorators(
    IsString(),
    MaxLength(LONGEST_URL),
    FieldRule('invalid_url', isWebhookUrl),
    ApiProperty({ maxLength: LONGEST_URL }),
  );

function isWebhookUrl(value: unknown): boolean {
  return (
    typeof value === 'string' && /^https?:\/\/[^/]/i.test(value) && !/[\s\p{Cc}\\]/u.test(value) && URL.canParse(value)
  );
}

/** What an endpoint subscribes to: event types, groups, or everything. */
export const SubscriptionsField = (isOptional = false): PropertyDecorator => {
  const documentation = {
    type: 'array' as const,
    // No type has a longer name.
    items: { type: 'string' as const, maxLength: 64 },
    description:
      'Event types, groups such as `message.*`, or `*` for everything. GET /webhooks/events lists the types.',
    example: ['message.*', 'chat.created'],
    minItems: 1,
  };
  return applyDecorators(
    isOptional ? ApiPropertyOptional(documentation) : ApiProperty(documentation),
    FieldRule('not_allowed', (value) => Array.isArray(value) && value.every(isSubscription)),
    NoDuplicates(),
    FieldRule(
      'too_many_items',
      (value) => Array.isArray(value) && value.length <= subscriptionLimit[0],
      subscriptionLimit,
    ),
    ArrayMinSize(1),
    IsArray(),
  );
};
