import { metadata, pipe, union } from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { dtoSchema } from '../../../../common/validation/schemas/documented-schemas';
import { namedAnswer } from '../../../../common/validation/schemas/named-schema';
import { ReplyErrorDto } from '../../messages/reply-error.dto';
import { ReplyTrailerDto } from './reply-trailer.dto';

/** Which reply begins, and where. */
export class ReplyStartDto {
  /** The conversation. @example 1 */
  chat_id: number;

  /** The message that is answered. @example 1 */
  user_message_id: number;

  /** The reply. @example 2 */
  message_id: number;

  /** How much of the text the reader has already, in UTF-16 units. @example 0 */
  offset: number;
}

/** A piece of the text, or of what the model thinks before. */
export class ReplyPieceDto {
  /** It follows the pieces before it. @example "The Alfama" */
  text: string;
}

/** The data of each server-sent event, by the event's name. */
export const REPLY_EVENTS = {
  message_start: ReplyStartDto,
  reasoning: ReplyPieceDto,
  delta: ReplyPieceDto,
  reply_error: ReplyErrorDto,
  error: ReplyErrorDto,
  message_end: ReplyTrailerDto,
} as const;

export type ReplyEventName = keyof typeof REPLY_EVENTS;

export type ReplyEventData<Name extends ReplyEventName> = InstanceType<(typeof REPLY_EVENTS)[Name]>;

/** For `ApiExtraModels`. */
export const REPLY_EVENT_DTOS = [...new Set(Object.values(REPLY_EVENTS))];

/** The data of any of them. `x-events` names the schema of each event. */
export const REPLY_EVENT = namedAnswer(
  'ReplyEventData',
  pipe(
    described(
      union(REPLY_EVENT_DTOS.map((dto) => dtoSchema<object>(dto))),
      'The data of a server-sent event of a reply, which its `event:` line names. Every stream begins with `message_start` ' +
        'and ends with `message_end`; between them are `reasoning` and `delta` with pieces, and after a failure ' +
        '`reply_error`, repeated as `error`. Its `id:` line is the offset that the text has reached.',
    ),
    metadata({
      'x-events': Object.fromEntries(
        Object.entries(REPLY_EVENTS).map(([name, dto]) => [name, `#/components/schemas/${dto.name}`]),
      ),
    }),
  ),
);
