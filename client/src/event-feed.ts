import { ConnectionError } from './errors';
import { EventConnection } from './event-connection';
import { ROUTES } from './generated/methods';
import type { FeedEventDto } from './generated/types';
import type { Service } from './request';
import { isPassing, pause } from './retry';

/** An event of the user. `reset` means that events before `place` may be missing, so reload what you show. */
export type FeedEvent = (FeedEventDto & { place: number }) | { type: 'reset'; place: number };

export interface FeedOptions {
  /** Event types, groups such as `message.*`, or `*`. Default: all. */
  kinds?: string[] | undefined;
  /** The `place` of the last known event. By default, the feed starts with the next event. */
  after?: number | undefined;
  /** Stops reading. */
  signal?: AbortSignal | undefined;
  /** Reports whether the connection is open, or lost and being restored. */
  onConnection?: ((state: 'open' | 'lost') => void) | undefined;
}

/** Reads each event once, reconnecting as often as needed, until the caller stops reading. */
export type ReadEvents = (options?: FeedOptions) => AsyncIterable<FeedEvent>;

/** @throws ApiError when the session has ended, or the service refuses permanently */
export async function* readEvents(
  service: Service,
  { kinds, after, signal, onConnection }: FeedOptions = {},
): AsyncGenerator<FeedEvent, void, undefined> {
  let place = after;
  let attempts = 0;
  // A comment is a ping, or contains the position before the first event.
  const onComment = (text: string): void => {
    attempts = 0;
    const [, told] = /^place (\d+)$/.exec(text) ?? [];
    if (told) place = Number(told);
  };
  for (;;) {
    const connection = new EventConnection(signal);
    let failure: unknown = new ConnectionError(new Error('The stream has ended.'));
    try {
      const request = { query: { kinds: kinds?.join(), after: place } };
      const response = await connection.open(service, ROUTES.events.read, request);
      onConnection?.('open');
      for await (const { id, event, data } of connection.events(response, onComment)) {
        attempts = 0;
        place = Number(id);
        yield event === 'reset' ? { type: 'reset', place } : { ...(JSON.parse(data) as FeedEventDto), place };
      }
    } catch (error) {
      if (!isPassing(error)) throw error;
      failure = error;
    } finally {
      connection.close();
    }
    attempts += 1;
    if (attempts === 1) onConnection?.('lost');
    await pause(attempts, failure, signal);
  }
}
