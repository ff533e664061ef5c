import type { RequestContext } from '../../../common/security/request-context';
import { senderOf } from '../../generation/generation.api';
import type { StreamFormat } from '../reading/reply-query.dto';
import { type ExchangeRequest, sentMessage, type ShownMessages, type Subject } from './exchange-request';
import type { EditMessageDto, ReplyOptionsDto, SendMessageDto } from './message-body.dto';

/*
 * Converts the bodies of this API's routes to an `ExchangeRequest`. `route` and `body` form the fingerprint that is
 * stored with an `Idempotency-Key`, so they must not change between releases.
 */

/** Properties of a request that are not in its body. */
export interface Arrival {
  context: RequestContext;
  /** The header `Idempotency-Key`. */
  key: string | null;
  /** The stream format of the reply. Null: the whole reply as JSON. */
  format: StreamFormat | null;
  /** Aborts when the client disconnects; absent for a message without parts, which reads no files. */
  signal?: AbortSignal;
}

/** @param page the messages on an AI SDK page; null for other clients */
export function toSendRequest(arrival: Arrival, message: SendMessageDto, page: ShownMessages | null): ExchangeRequest {
  const { chat_id, content, parts, lang = null, on_disconnect = 'continue', trigger, message_id = null } = message;
  const names = trigger !== undefined && (trigger === 'regenerate-message' || message_id !== null);
  const body = { chat_id, content, parts, lang, on_disconnect, ...(names && { trigger, message_id }) };
  return toRequest(arrival, chat_id, message, { route: 'POST /chat/message', body }, subjectOf(message, page));
}

/** An edit of a message. */
export function toEditRequest(
  arrival: Arrival,
  chatId: number,
  messageId: number,
  message: EditMessageDto,
): ExchangeRequest {
  const { content, parts, lang = null, on_disconnect = 'continue' } = message;
  const body = { content, parts, lang, on_disconnect };
  const repeatable = { route: `PUT /chat/${chatId}/messages/${messageId}`, body };
  return toRequest(arrival, chatId, message, repeatable, { kind: 'edit', messageId, ...sentMessage(message) });
}

/**
 * A regeneration.
 *
 * @param messageId the user's message, or the reply to it
 */
export function toRegenerateRequest(
  arrival: Arrival,
  chatId: number,
  messageId: number,
  options: ReplyOptionsDto,
): ExchangeRequest {
  const { lang = null, on_disconnect = 'continue' } = options;
  const route = `POST /chat/${chatId}/messages/${messageId}/regenerate`;
  return toRequest(
    arrival,
    chatId,
    options,
    { route, body: { lang, on_disconnect } },
    { kind: 'regenerate', messageId },
  );
}

function toRequest(
  { context, key, format, signal }: Arrival,
  chatId: number,
  { lang, on_disconnect, tool_policies }: ReplyOptionsDto,
  repeatable: { route: string; body: object },
  subject: Subject,
): ExchangeRequest {
  const { userId } = context.principal;
  return {
    sender: senderOf(context),
    chatId,
    subject,
    language: lang ?? null,
    endsWithReaders: on_disconnect === 'cancel',
    // An AI SDK page stops a reply by closing its stream, and expects that its next message is accepted.
    tightening: { policies: policiesOf(tool_policies) },
    endsUnread: format === 'ui_message',
    repeatable: { userId, key, ...withPolicies(repeatable, tool_policies) },
    signal,
  };
}

/** A policy that would loosen the agent's policies is ignored. */
function policiesOf(policies: ReplyOptionsDto['tool_policies'] = {}): Record<string, 'ask' | 'deny'> {
  const tightening = Object.entries(policies).flatMap(([name, policy]) =>
    policy === 'auto' ? [] : [[name, policy] as const],
  );
  return Object.fromEntries(tightening);
}

/** Only requests with policies have them in their fingerprint, so that fingerprints of earlier releases stay valid. */
function withPolicies(
  { route, body }: { route: string; body: object },
  tool_policies: ReplyOptionsDto['tool_policies'],
): { route: string; body: object } {
  return { route, body: tool_policies === undefined ? body : { ...body, tool_policies } };
}

function subjectOf(message: SendMessageDto, page: ShownMessages | null): Subject {
  const { trigger, message_id } = message;
  const said = sentMessage(message);
  const shown = { kind: 'shown', messageId: message_id ?? null, ...said, page } as const;
  switch (trigger) {
    case 'regenerate-message':
      return { ...shown, wish: 'regenerate' };
    case 'submit-message':
      return { ...shown, wish: 'edit' };
    default:
      return { kind: 'new', ...said };
  }
}
