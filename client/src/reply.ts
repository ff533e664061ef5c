import { ApiError, ConnectionError, isApiError } from './errors';
import { EventConnection } from './event-connection';
import { ROUTES } from './generated/methods';
import type { MessageDto } from './generated/types';
import type { ReplyEvent, ReplyOptions } from './reply-events';
import { ReplyProgress } from './reply-progress';
import type { AnyRequest, Service } from './request';
import { isSoon, pause } from './retry';
import type { Route } from './route';

/** The request that starts a reply. */
export interface Opening {
  route: Route;
  request: AnyRequest;
  chatId: number;
  /** Number of characters that the caller already has. */
  offset?: number;
}

/** Consecutive attempts without new data, about one minute. */
const MOST_ATTEMPTS = 12;

/**
 * Streams a reply to its end, reconnecting as often as needed. The opening request is repeated until there is a
 * response, which its idempotency key makes safe. After that, lost connections are resumed with a join.
 *
 * @throws ApiError, ConnectionError
 */
export async function* readReply(
  service: Service,
  opening: Opening,
  { signal, onConnection }: ReplyOptions = {},
): AsyncGenerator<ReplyEvent, void, undefined> {
  const progress = new ReplyProgress(opening.chatId, opening.offset);
  let attempts = 0;
  const forgive = (): void => void (attempts = 0);
  for (;;) {
    try {
      for await (const event of attempt(service, opening, progress, { signal, onConnection }, forgive)) {
        forgive();
        yield event;
      }
      return;
    } catch (error) {
      attempts += 1;
      if (!canGoOn(error, attempts > 1 || progress.isAnswered) || attempts >= MOST_ATTEMPTS) throw error;
      if (attempts === 1) onConnection?.('lost');
      await pause(attempts, error, signal);
    }
  }
}

/** Streams the reply over one connection. */
async function* attempt(
  service: Service,
  opening: Opening,
  progress: ReplyProgress,
  { signal, onConnection }: ReplyOptions,
  onPing: () => void,
): AsyncGenerator<ReplyEvent, void, undefined> {
  const connection = new EventConnection(signal);
  try {
    const { route, request } = progress.isAnswered ? progress.rejoining() : opening;
    const response = await connection.open(service, route, request);
    onConnection?.('open');
    if (response.status === 204 && !progress.isAnswered) return;
    if (!progress.isAnsweredBy(response)) {
      yield* await stored(service, progress, signal);
      return;
    }
    for await (const message of connection.events(response, onPing)) {
      yield* progress.take(message.event, message.data);
      if (message.event === 'message_end') return;
    }
    throw new ConnectionError(new Error('The stream has no end.'));
  } finally {
    connection.close();
  }
}

/** Returns the rest of a completed reply that is no longer the last one, or of which only the end is missing. */
async function stored(service: Service, progress: ReplyProgress, signal?: AbortSignal): Promise<Iterable<ReplyEvent>> {
  const { chatId, userMessageId, messageId } = progress;
  const messages = (await service.call(ROUTES.chat.listMessages, {
    path: { chat_id: chatId },
    query: { branches: 'all', after: userMessageId, limit: 200 },
    signal,
    // The reply handles retries itself.
    maxRetries: 0,
  })) as MessageDto[];
  const message = messages.find(({ id }) => id === messageId);
  if (message?.status === 'streaming') throw new ConnectionError(new Error('The reply is still written elsewhere.'));
  if (!message) throw new ApiError('The reply is gone.', 404, 'MESSAGE_NOT_FOUND', {}, null, null);
  return progress.finish(message);
}

/** Whether another attempt may succeed. */
function canGoOn(error: unknown, isRepeated: boolean): boolean {
  if (!isApiError(error)) return error instanceof ConnectionError;
  // A proxy error with another status is permanent, for example if the request is too large or the address is wrong.
  const isAway = error.code === 'SERVICE_UNAVAILABLE' && (error.status >= 500 || error.status === 429);
  return isSoon(error) && (isAway || (isRepeated && error.code === 'RATE_LIMIT_EXCEEDED'));
}
