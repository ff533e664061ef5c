import { ApiExtraModels, ApiProperty, OmitType, PartialType, PickType } from '@nestjs/swagger';
import type { Language } from '../../../../common/i18n/language';
import {
  callIdOf,
  type FinishReason,
  MESSAGE_ROLES,
  type MessageRole,
  type ReplyEnd,
  type ShownAction,
} from '../../../generation/generation.api';
import type { ReadMessage } from '../../conversations/chat-queries';
import { FeedbackDto, toFeedbackDto } from '../../messages/message.dto';
import { DEFAULT_UI_VERSION, type UiVersion } from '../ui-version';
import { ReplyTrailerDto, toReplyTrailerDto } from './reply-trailer.dto';
import { type AnyUiPartDto, isOnlyResults, resultsIn, toUiParts, UI_PART_LIST, UI_PARTS } from './ui-part.dto';

/** Why a reply ended, in the words of the AI SDK. */
const UI_FINISH_REASONS = ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other'] as const;

type UiFinishReason = (typeof UI_FINISH_REASONS)[number];

/** The trailer of a reply, with the reason of its end in the words of the AI SDK. */
export class UiTrailerDto extends ReplyTrailerDto {
  /** Why the reply ended, in the words of the AI SDK. @example "stop" */
  @ApiProperty({ enum: UI_FINISH_REASONS })
  finishReason: UiFinishReason;
}

/** Which reply begins. */
export class UiIdsDto extends PickType(ReplyTrailerDto, ['chat_id', 'user_message_id', 'message_id']) {}

/** Facts about a message; for a reply also the trailer of its stream. */
export class UiMetadataDto extends PartialType(OmitType(ReplyTrailerDto, ['message_id', 'chat_id', 'facts'])) {
  /** The message. @example 2 */
  message_id: number;

  /** The conversation. @example 1 */
  chat_id: number;

  /** The message before it, the same for all its versions; null for the first. @example 1 */
  parent_id: number | null;

  /** Whether it is on the current line. @example true */
  is_current: boolean;

  /** When it was sent, or the reply began. @example "2026-01-31T09:30:00.000Z" */
  created_at: string;

  /** Why the reply ended, in the words of the AI SDK; replies only. @example "stop" */
  @ApiProperty({ enum: UI_FINISH_REASONS })
  finishReason?: UiFinishReason;

  /** Replies only; null until the user rates them. */
  feedback?: FeedbackDto | null;
}

/** A message as `useChat` of the AI SDK keeps it. */
@ApiExtraModels(...UI_PARTS)
export class UiMessageDto {
  /** The message's id as text. @example "2" */
  id: string;

  /** Who wrote it. @example "assistant" */
  @ApiProperty({ enum: MESSAGE_ROLES })
  role: MessageRole;

  /** The text, after any reasoning; with it images, files and calls of functions, in their order. */
  @ApiProperty(UI_PART_LIST)
  parts: AnyUiPartDto[];

  /** Facts about it. */
  metadata: UiMetadataDto;
}

/**
 * Messages for a page of the AI SDK. A running reply is left out: the page joins it from its beginning. So are messages that
 * have nothing but results of functions: these stand with their calls.
 *
 * @param language the language of a failure's sentence
 * @param actions what people were asked about calls, the newest last
 */
export function toUiMessageDtos(
  messages: ReadMessage[],
  language: Language,
  actions: readonly ShownAction[],
  uiVersion: UiVersion = DEFAULT_UI_VERSION,
): UiMessageDto[] {
  const asked = new Map(actions.map((shown) => [callIdOf(shown.call), shown]));
  const calls = { results: resultsIn(messages), actions: asked, uiVersion };
  return messages
    .filter((message) => message.status !== 'streaming' && !isOnlyResults(message))
    .map((message) => ({
      id: String(message.id),
      role: message.role,
      parts: toUiParts(message, calls),
      metadata: {
        message_id: message.id,
        chat_id: message.chatId,
        parent_id: message.parentId,
        is_current: message.isCurrent,
        created_at: message.createdAt.toISOString(),
        ...(message.role === 'assistant' && replyMetadata(message, language)),
      },
    }));
}

/** The ids of replies whose calls people were asked about, as far as their parts show it. */
export function repliesAskedAbout(messages: readonly ReadMessage[]): number[] {
  return messages
    .filter(
      ({ status, parts }) =>
        status === 'requires_action' || parts?.some((part) => part.type === 'tool_call' && part.state === 'denied'),
    )
    .map(({ id }) => id);
}

/** The trailer of a reply as metadata. The first readers of the stream look only there for the reason of the end. */
export function toUiTrailer(trailer: ReplyTrailerDto): UiTrailerDto {
  return { ...trailer, finishReason: toUiFinishReason(trailer.finish_reason) };
}

function replyMetadata(message: ReadMessage, language: Language): Partial<UiMetadataDto> {
  const { id: messageId, chatId, parentId, finishReason, tokenUsage: usage, failure } = message;
  const status = message.status as ReplyEnd['status'];
  const reply = { messageId, chatId, userMessageId: parentId ?? 0 };
  const trailer = toReplyTrailerDto(reply, { status, finishReason, usage, failure, title: null }, language);
  return { ...toUiTrailer(trailer), feedback: toFeedbackDto(message) };
}

function toUiFinishReason(reason: FinishReason | null): UiFinishReason {
  switch (reason) {
    case 'content_filter':
      return 'content-filter';
    case 'tool_calls':
      return 'tool-calls';
    case 'tool_limit':
    case 'action_expired':
    case 'cancelled':
    case null:
      return 'other';
    default:
      return reason;
  }
}
