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
import { LONGEST_MESSAGE, MOST_SENT_PARTS, SentPartDto } from './sent-part.dto';

/** The maximum number of tools with a policy in a request. */
const MOST_POLICIES = 128;

/** The maximum number of calls that a reply may wait for. */
const MOST_APPROVALS = 64;

/** The maximum length of a tool name, in characters. */
const LONGEST_TOOL_NAME = 64;

/** What happens to a reply when its client disconnects. */
export const ON_DISCONNECT = ['continue', 'cancel'] as const;

export type OnDisconnect = (typeof ON_DISCONNECT)[number];

/** The triggers of `useChat`; see `trigger`. */
export const UI_TRIGGERS = ['submit-message', 'regenerate-message'] as const;

/** Options for the reply; all fields are optional. */
export class ReplyOptionsDto extends LanguageBodyDto {
  /** The effect of a client disconnect: `continue` writes and stores the reply; `cancel` stops it. */
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
   * Stricter policies for the agent's tools: `ask` or `deny` by tool name, at most 128. A policy that is looser than
   * the agent's is ignored.
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

/** The content of a message. */
export class MessageContentDto extends ReplyOptionsDto {
  /**
   * 1 to 32,000 characters, not only white space; stored unchanged. Optional with `parts`; otherwise it precedes them,
   * unless their texts are equal to it. @example "What should I see in Lisbon?"
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
   * Texts, images and files in order: up to 100 parts, including 20 images and files of up to 10 MiB each and 20 MiB in
   * total. The texts may have 32,000 characters in total. Images need a model that accepts them, see the agent's `input`;
   * files that its model does not accept are searched.
   */
  @OptionalField()
  @FieldRule<MessageContentDto>('too_long', (_parts, dto) => !isLong(dto), [LONGEST_MESSAGE])
  @FieldRule<MessageContentDto>('blank', (_parts, dto) => !saysNothing(dto))
  @ArrayMinSize(1)
  @ObjectList(() => SentPartDto, MOST_SENT_PARTS)
  parts?: SentPartDto[];
}

/** A message to an agent. The body of the AI SDK's `useChat` is accepted too, see `fromUiChatBody`. */
export class SendMessageDto extends MessageContentDto {
  /** The conversation. @example 1 */
  @IsDefined()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  @IsInt()
  chat_id: number;

  /**
   * From `useChat`, instead of a message: the decisions about all calls that a reply waits for. They are the parts of
   * its last message in the state `approval-responded`. An API key needs the scope `actions:decide`.
   */
  @OptionalField()
  @FieldRule<SendMessageDto>('not_allowed', (_approvals, { content, parts }) => (content ?? parts) === undefined)
  @ArrayMinSize(1)
  @ObjectList(() => SentApprovalDto, MOST_APPROVALS)
  approvals?: SentApprovalDto[];

  /** Always `user`, the default. @example user */
  @OptionalField()
  @IsIn(['user'])
  role?: 'user';

  /**
   * From `useChat`: `regenerate-message` requests another reply to an earlier message; `submit-message` with a
   * `message_id` edits that message.
   */
  @OptionalField()
  @IsIn(UI_TRIGGERS)
  trigger?: (typeof UI_TRIGGERS)[number];

  /**
   * The message for the `trigger`; `messageId` in `useChat`. For `regenerate-message`, a message or its reply; absent
   * or unknown: the last message.
   */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  message_id?: number | null;
}

/** Examples of a message and of approvals, which replace a message. */
export const SENT_EXAMPLES = {
  message: { summary: 'A message', value: { chat_id: 1, content: 'What should I see in Lisbon?' } },
  approvals: {
    summary: 'Decisions on tool calls, from useChat',
    value: { chat_id: 1, approvals: [{ id: 5, approved: true, input: { order: 7 } }] },
  },
};

/** An edit of a message. Without `parts`, its images and files stay; `parts` replace the whole message. */
export class EditMessageDto extends MessageContentDto {}

function isBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() === '';
}

/** The texts of the parts; null if a part is invalid. */
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
