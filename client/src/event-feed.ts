import { ConnectionError } from './errors';
import { EventConnection } from './event-connection';
import { ROUTES } from './generated/methods';
import type { FeedEventDto } from './generated/types';
import type { Service } from './request';
import { isPassing, pause } from './retry';

/** What happened to the user, or `reset`: something may be missing before `place`, so read again what you show. */
export type FeedEvent = (FeedEventDto & { place: number }) | { type: 'reset'; place: number };

export interface FeedOptions {
  /** Event types, groups such as `message.*`, or `*`. Default: all. */
  kinds?: string[] | undefined;
  /** The `place` of the last event that is here already. Without it, the feed begins now. */
  after?: number | undefined;
  /** Ends the reading. */
  signal?: AbortSignal | undefined;
  /** Whether events are coming in, or the connection is being made again. */
  onConnection?: ((state: 'open' | 'lost') => void) | undefined;
}

/** Reads what happens, over as many connections as it takes, each event once. It ends when the caller leaves. */
export type ReadEvents = (options?: FeedOptions) => AsyncIterable<FeedEvent>;

/** @throws ApiError when the session has ended, or the service refuses otherwise for good */
export async function* readEvents(
  service: Service,
  { kinds, after, signal, onConnection }: FeedOptions = {},
): AsyncGenerator<FeedEvent, void, undefined> {
  let place = after;
  let attempts = 0;
  // A comment is a ping, or tells the place before the first event.
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
