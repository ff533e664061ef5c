import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMinSize, IsArray, IsString } from 'class-validator';
import { isSubscription } from '../../../common/events/event-patterns';
import { FieldRule, MaxLength, NoDuplicates } from '../../../common/validation/fields';

const LONGEST_URL = 2_048;

/**
 * The types that endpoints may subscribe to, and the largest number of subscriptions: one per type. DTO rules are
 * created while modules load. `documentEvents` fills in the types when the application is built.
 */
export const SUBSCRIPTIONS: { types: readonly string[]; limit: [number] } = { types: [], limit: [0] };

/** An http or https URL without white space and control characters, which are invisible and which URL parsers drop. */
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

/** The subscriptions of an endpoint: event types, groups, or everything. */
export const SubscriptionsField = (isOptional = false): PropertyDecorator => {
  const documentation = {
    type: 'array' as const,
    // Longer than any type's name.
    items: { type: 'string' as const, maxLength: 64 },
    description: 'Event types, groups such as `message.*`, or `*` for all. `GET /webhooks/events` lists the types.',
    example: ['message.*', 'chat.created'],
    minItems: 1,
  };
  return applyDecorators(
    isOptional ? ApiPropertyOptional(documentation) : ApiProperty(documentation),
    FieldRule(
      'not_allowed',
      (value) => Array.isArray(value) && value.every((pattern) => isSubscription(pattern, SUBSCRIPTIONS.types)),
    ),
    NoDuplicates(),
    FieldRule(
      'too_many_items',
      (value) => Array.isArray(value) && value.length <= SUBSCRIPTIONS.limit[0],
      SUBSCRIPTIONS.limit,
    ),
    ArrayMinSize(1),
    IsArray(),
  );
};
