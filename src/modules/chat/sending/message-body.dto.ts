import { ApiProperty } from '@nestjs/swagger';
import { ArrayMinSize, IsDefined, IsIn, IsInt, IsObject, IsString, Max, Min, ValidateIf } from 'class-validator';
import {
  CharacterCount,
  countCharacters,
  FieldRule,
  NullableField,
  OptionalField,
} from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectList } from '../../../common/validation/object-list';
import { contentOf } from '../../../integrations/llm/port/message-parts';
import { SentApprovalDto } from '../acting/sent-approval.dto';
import { STREAM_FORMATS, type StreamFormat, UiVersionField } from '../reading/reply-query.dto';
import type { UiVersion } from '../reading/ui-version';
import { LONGEST_MESSAGE, MOST_PARTS, SentPartDto } from './sent-part.dto';

/** Tools that a request may name. */
const MOST_POLICIES = 128;

/** Calls that a reply may wait for. */
const MOST_APPROVALS = 64;

/** Characters of the name of a tool. */
const LONGEST_TOOL_NAME = 64;

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

  @UiVersionField()
  ui_version?: UiVersion;

  /**
   * Tools of the agent that are to ask before each call, or are not to be called: `ask` or `deny` by the name of the tool, at
   * most 128. What would allow more than the agent does is ignored.
   */
  @OptionalField()
  @FieldRule('invalid_format', isPolicies)
  @IsObject()
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', enum: ['ask', 'deny'] },
    maxProperties: MOST_POLICIES,
    example: { cancel_order: 'deny' },
  })
  tool_policies?: Record<string, 'auto' | 'ask' | 'deny'>;
}

function isPolicies(value: unknown): boolean {
  const entries = Object.entries((value ?? {}) as Record<string, unknown>);
  return (
    entries.length <= MOST_POLICIES &&
    entries.every(
      ([name, policy]) =>
        name.length <= LONGEST_TOOL_NAME && (policy === 'ask' || policy === 'deny' || policy === 'auto'),
    )
  );
}

/** What a message says. */
export class MessageContentDto extends ReplyOptionsDto {
  /**
   * 1 to 32,000 characters, not only white space; stored unchanged. With `parts` it may be absent; else it stands before them,
   * unless their texts say the same. @example "What should I see in Lisbon?"
   */
  @ValidateIf(
    ({ content, parts, approvals }: MessageContentDto & Pick<SendMessageDto, 'approvals'>) =>
      (parts ?? approvals) === undefined || (content ?? '') !== '',
  )
  @IsDefined()
  @FieldRule<MessageContentDto>('blank', (value, { parts }) => parts !== undefined || !isBlank(value))
  @CharacterCount(1, LONGEST_MESSAGE)
  @IsString()
  content?: string;

  /**
   * Texts, images and files in their order: 100, of which 20 images and files of 10 MiB each and 20 MiB together. The texts
   * have 32,000 characters together. What the agent's model can be sent is its `input`.
   */
  @OptionalField()
  @FieldRule<MessageContentDto>('too_long', (_parts, dto) => !isLong(dto), [LONGEST_MESSAGE])
  @FieldRule<MessageContentDto>('blank', (_parts, dto) => !saysNothing(dto))
  @ArrayMinSize(1)
  @ObjectList(() => SentPartDto, MOST_PARTS)
  parts?: SentPartDto[];
}

/** A message to an agent. The body of the AI SDK's `useChat` works too, see `fromUiChatBody`. */
export class SendMessageDto extends MessageContentDto {
  /** The conversation. @example 1 */
  @IsDefined()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  @IsInt()
  chat_id: number;

  /**
   * From `useChat`, in the place of a message: what the user says about the calls that a reply waits for, all or none of it. They
   * are the parts in the state `approval-responded` of its last message. An API key needs `actions:decide` for it.
   */
  @OptionalField()
  @FieldRule<SendMessageDto>('not_allowed', (_approvals, { content, parts }) => (content ?? parts) === undefined)
  @ArrayMinSize(1)
  @ObjectList(() => SentApprovalDto, MOST_APPROVALS)
  approvals?: SentApprovalDto[];

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

/** What is sent: a message, or in its place what is said about calls. */
export const SENT_EXAMPLES = {
  message: { summary: 'A message', value: { chat_id: 1, content: 'What should I see in Lisbon?' } },
  approvals: {
    summary: 'Decisions on tool calls, from useChat',
    value: { chat_id: 1, approvals: [{ id: 5, approved: true, input: { order: 7 } }] },
  },
};

/** Another wording of a message. Without `parts` its images and files stay; `parts` replace all of it. */
export class EditMessageDto extends MessageContentDto {}

function isBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() === '';
}

/** The texts of the parts; null when one of the parts has a fault of its own. */
function textsOf({ parts }: MessageContentDto): string[] | null {
  const all = Array.isArray(parts) ? parts.filter((part: unknown) => part instanceof SentPartDto) : [];
  const texts = all.filter(({ type }) => type === 'text').map(({ text }) => text);
  return texts.every((text) => typeof text === 'string') ? texts : null;
}

function saysNothing(dto: MessageContentDto): boolean {
  const { parts, content = '' } = dto;
  const texts = textsOf(dto) ?? [];
  return texts.length > 0 && texts.length === parts?.length && [content, ...texts].every(isBlank);
}

function isLong(dto: MessageContentDto): boolean {
  const texts = textsOf(dto) ?? [];
  const { content } = dto;
  const isOwn = typeof content === 'string' && content !== contentOf(texts.map((text) => ({ type: 'text', text })));
  const all = isOwn ? [content, ...texts] : texts;
  return all.reduce((sum, text) => sum + countCharacters(text), 0) > LONGEST_MESSAGE;
}
