import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMinSize, IsArray, IsString } from 'class-validator';
import { isSubscription } from '../../../common/events/event-patterns';
import { FieldRule, MaxLength, NoDuplicates } from '../../../common/validation/fields';

const LONGEST_URL = 2_048;

/**
 * What endpoints may subscribe to, and how often: once for each type. The rules of DTOs are made while modules load, and
 * `documentEvents` fills this in when an application is built and its types are known.
 */
export const SUBSCRIPTIONS: { types: readonly string[]; limit: [number] } = { types: [], limit: [0] };

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
