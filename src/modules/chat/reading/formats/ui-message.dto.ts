import { ApiExtraModels, ApiProperty, OmitType, PartialType, PickType } from '@nestjs/swagger';
import type { Language } from '../../../../common/i18n/language';
import {
  callIdOf,
  citationsOf,
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
import { type AnyUiPartDto, isOnlyResults, resultsByCall, toUiParts, UI_PART_LIST, UI_PARTS } from './ui-part.dto';

/** The finish reasons of the AI SDK. */
const UI_FINISH_REASONS = ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other'] as const;

type UiFinishReason = (typeof UI_FINISH_REASONS)[number];

/** The trailer of a reply, with the finish reason of the AI SDK. */
export class UiTrailerDto extends ReplyTrailerDto {
  /** Why the reply ended, as an AI SDK finish reason. @example "stop" */
  @ApiProperty({ enum: UI_FINISH_REASONS })
  finishReason: UiFinishReason;
}

/** The IDs of a reply that starts. */
export class UiIdsDto extends PickType(ReplyTrailerDto, ['chat_id', 'user_message_id', 'message_id']) {}

/** The metadata of a message; for a reply also the trailer of its stream. */
export class UiMetadataDto extends PartialType(OmitType(ReplyTrailerDto, ['message_id', 'chat_id', 'facts'])) {
  /** The message. @example 2 */
  message_id: number;

  /** The conversation. @example 1 */
  chat_id: number;

  /** The preceding message, shared by all versions; null for the first. @example 1 */
  parent_id: number | null;

  /** Whether the message is on the current line. @example true */
  is_current: boolean;

  /** When the message was sent or the reply started. @example "2026-01-31T09:30:00.000Z" */
  created_at: string;

  /** Why the reply ended, as an AI SDK finish reason. Only in replies. @example "stop" */
  @ApiProperty({ enum: UI_FINISH_REASONS })
  finishReason?: UiFinishReason;

  /** Only in replies; null if the user has not rated the reply. */
  feedback?: FeedbackDto | null;
}

/** A message in the format of `useChat` of the AI SDK. */
@ApiExtraModels(...UI_PARTS)
export class UiMessageDto {
  /** The ID of the message, as a string. @example "2" */
  id: string;

  /** The author. @example "assistant" */
  @ApiProperty({ enum: MESSAGE_ROLES })
  role: MessageRole;

  /** The text after any reasoning, and images, files and function calls in order. */
  @ApiProperty(UI_PART_LIST)
  parts: AnyUiPartDto[];

  /** The metadata. */
  metadata: UiMetadataDto;
}

/**
 * Converts messages for an AI SDK page. It leaves out a running reply, which the page joins from the start, and
 * messages that have only function results, which are part of their calls.
 *
 * @param language the language of an error message
 * @param actions the actions of all calls, newest last
 */
export function toUiMessageDtos(
  messages: ReadMessage[],
  language: Language,
  actions: readonly ShownAction[],
  uiVersion: UiVersion = DEFAULT_UI_VERSION,
): UiMessageDto[] {
  const asked = new Map(actions.map((shown) => [callIdOf(shown.call), shown]));
  const calls = { results: resultsByCall(messages), actions: asked, uiVersion };
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

/** IDs of the replies whose parts contain calls with possible actions. */
export function replyIdsWithActions(messages: readonly ReadMessage[]): number[] {
  return messages
    .filter(
      ({ status, parts }) =>
        status === 'requires_action' || parts?.some((part) => part.type === 'tool_call' && part.state === 'denied'),
    )
    .map(({ id }) => id);
}

/** The trailer as metadata, including the finish reason, because old readers of the stream look for it only there. */
export function toUiTrailer(trailer: ReplyTrailerDto): UiTrailerDto {
  return { ...trailer, finishReason: toUiFinishReason(trailer.finish_reason) };
}

function replyMetadata(message: ReadMessage, language: Language): Partial<UiMetadataDto> {
  const { id: messageId, chatId, parentId, finishReason, tokenUsage: usage, failure } = message;
  const status = message.status as ReplyEnd['status'];
  const reply = { messageId, chatId, userMessageId: parentId ?? 0, citations: citationsOf(message.parts) };
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
