import { IsDefined, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { CharacterCount, NotBlank, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { STREAM_FORMATS, type StreamFormat } from './reply-query.dto';

/** What becomes of a reply when its client goes away. */
export const ON_DISCONNECT = ['continue', 'cancel'] as const;

export type OnDisconnect = (typeof ON_DISCONNECT)[number];

/** What `useChat` asks for; see `trigger`. */
export const UI_TRIGGERS = ['submit-message', 'regenerate-message'] as const;

/** A message to an agent. What the AI SDK's `useChat` sends is understood too, see `UiChatBodyInterceptor`. */
export class SendMessageDto extends LanguageBodyDto {
  /** The conversation. @example 1 */
  @IsDefined()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  @IsInt()
  chat_id: number;

  /** 1 to 32,000 characters, not only white space; kept byte for byte. @example "What should I see in Lisbon?" */
  @IsDefined()
  @NotBlank()
  @CharacterCount(1, 32_000)
  @IsString()
  content: string;

  /** Only `user`, which is the default. @example user */
  @OptionalField()
  @IsIn(['user'])
  role?: 'user';

  /** `continue`: the reply is written and stored without its client; `cancel`: it ends with the client. */
  @OptionalField()
  @IsIn(ON_DISCONNECT)
  on_disconnect?: OnDisconnect;

  /** As the query parameter of this name, for clients that can only choose the body. */
  @NullableField()
  @IsIn(STREAM_FORMATS)
  stream_format?: StreamFormat | null;

  /** From `useChat`: `regenerate-message` asks for another reply to an earlier message instead of sending one. */
  @OptionalField()
  @IsIn(UI_TRIGGERS)
  trigger?: (typeof UI_TRIGGERS)[number];

  /**
   * Which message to answer anew with `regenerate-message`, or which reply to replace; `useChat` calls it `messageId`.
   * Absent, or not of this conversation: the last message. @example 2
   */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  message_id?: number | null;
}
