import { Transform } from 'class-transformer';
import { IsInt, IsString, Max, Min } from 'class-validator';
import { isSubscription } from '../../common/events/event-patterns';
import { FieldRule, MaxLength, OptionalField } from '../../common/validation/fields';
import { WholeNumberParameter } from '../../common/validation/parameters';

/**
 * The types that can be requested. `EventFeedModule` fills it in when an application is built and the types are known.
 */
export const FEED_KINDS: { types: readonly string[] } = { types: [] };

/** Patterns of a comma-separated list. */
export const patternsOf = (kinds: string): string[] => kinds.split(',').map((pattern) => pattern.trim());

/** Which events to read, and from which place. */
export class EventFeedQueryDto {
  /**
   * The `id:` of the client's last event. Default: the feed begins now. A reconnecting browser sends `Last-Event-ID`,
   * which takes precedence.
   */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  after?: number;

  /**
   * Event types, groups such as `message.*`, or `*`, separated by commas; default: all. GET /webhooks/events lists the
   * types.
   */
  @OptionalField()
  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.join() : value))
  @FieldRule(
    'not_allowed',
    (value) =>
      typeof value === 'string' && patternsOf(value).every((pattern) => isSubscription(pattern, FEED_KINDS.types)),
  )
  @MaxLength(4_096)
  @IsString()
  kinds?: string;

  /** From `POST /events/ticket`; replaces the header `Authorization`, which `EventSource` cannot send. */
  @OptionalField()
  @MaxLength(1_024)
  @IsString()
  ticket?: string;
}
