import { ApiError, ConnectionError, isApiError } from './errors';
import { EventConnection } from './event-connection';
import { ROUTES } from './generated/methods';
import type { MessageDto } from './generated/types';
import type { ReplyEvent, ReplyOptions } from './reply-events';
import { ReplyProgress } from './reply-progress';
import type { AnyRequest, Service } from './request';
import { isSoon, pause } from './retry';
import type { Route } from './route';

/** The request that a reply begins with. */
export interface Opening {
  route: Route;
  request: AnyRequest;
  chatId: number;
  /** Characters that the caller has already. */
  offset?: number;
}

/** Attempts in a row that bring nothing new, about a minute. */
const MOST_ATTEMPTS = 12;

/**
 * Reads a reply to its end, over as many connections as it takes. The opening request is repeated until it is answered,
 * which its idempotency key makes safe; from then on the reply is joined where it was lost.
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

/** What one connection brings. */
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

/** The rest of a reply that is over and not the last one any more, or of which nothing but the end is missing. */
async function stored(service: Service, progress: ReplyProgress, signal?: AbortSignal): Promise<Iterable<ReplyEvent>> {
  const { chatId, userMessageId, messageId } = progress;
  const messages = (await service.call(ROUTES.chat.listMessages, {
    path: { chat_id: chatId },
    query: { branches: 'all', after: userMessageId, limit: 200 },
    signal,
    // The reply itself goes on after a failure.
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
  // A proxy that refuses with another status would refuse again: too large, or not the address of the service.
  const isAway = error.code === 'SERVICE_UNAVAILABLE' && (error.status >= 500 || error.status === 429);
  return isSoon(error) && (isAway || (isRepeated && error.code === 'RATE_LIMIT_EXCEEDED'));
}
