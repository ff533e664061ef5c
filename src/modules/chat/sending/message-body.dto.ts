import { IsDefined, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { CharacterCount, NotBlank, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { STREAM_FORMATS, type StreamFormat } from '../reply/reading/reply-query.dto';

/** What happens to a reply when its client disconnects. */
export const ON_DISCONNECT = ['continue', 'cancel'] as const;

export type OnDisconnect = (typeof ON_DISCONNECT)[number];

/** What a page with `useChat` wants; see `trigger`. */
export const UI_TRIGGERS = ['submit-message', 'regenerate-message'] as const;

/** How the reply is wanted; all fields are optional. */
export class ReplyOptionsDto extends LanguageBodyDto {
  /** When the client disconnects: `continue` writes and stores the reply; `cancel` stops it. */
  @OptionalField()
  @IsIn(ON_DISCONNECT)
  on_disconnect?: OnDisconnect;

  /** Same as the query parameter, for clients that can only set the body. */
  @NullableField()
  @IsIn(STREAM_FORMATS)
  stream_format?: StreamFormat | null;
}

/** A message to an agent. The body of the AI SDK's `useChat` works too, see `fromUiChatBody`. */
export class SendMessageDto extends ReplyOptionsDto {
  /** The conversation. @example 1 */
  @IsDefined()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  @IsInt()
  chat_id: number;

  /** 1 to 32,000 characters, not only white space; stored unchanged. @example "What should I see in Lisbon?" */
  @IsDefined()
  @NotBlank()
  @CharacterCount(1, 32_000)
  @IsString()
  content: string;

  /** Only `user`, which is the default. @example user */
  @OptionalField()
  @IsIn(['user'])
  role?: 'user';

  /**
   * From `useChat`: `regenerate-message` wants another reply to an earlier message; `submit-message` with a `message_id`
   * gives that message another wording.
   */
  @OptionalField()
  @IsIn(UI_TRIGGERS)
  trigger?: (typeof UI_TRIGGERS)[number];

  /**
   * Which message the `trigger` means; `useChat` calls it `messageId`. For `regenerate-message` a message or its reply;
   * absent or unknown: the last message.
   */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  message_id?: number | null;
}

/** Another wording of a message. */
export class EditMessageDto extends ReplyOptionsDto {
  /** 1 to 32,000 characters, not only white space; stored unchanged. @example "What should I see in Porto?" */
  @IsDefined()
  @NotBlank()
  @CharacterCount(1, 32_000)
  @IsString()
  content: string;
}
