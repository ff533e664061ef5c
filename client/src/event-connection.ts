import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { network } from './browser';
import { ConnectionError } from './errors';
import { Patience } from './patience';
import { type AnyRequest, fail, type Service } from './request';
import type { Route } from './route';

/** The service sends data at least every ten seconds, so a silent connection is dead. */
const SILENCE_MILLISECONDS = 30_000;

/** One request for server-sent events. It fails if no data arrives for too long. */
export class EventConnection extends Patience {
  /** @param caller the caller's abort signal */
  constructor(caller?: AbortSignal) {
    super(SILENCE_MILLISECONDS, caller);
    network.addEventListener?.('offline', this.lose);
  }

  open(service: Service, route: Route, request: AnyRequest): Promise<Response> {
    const headers = { accept: 'text/event-stream', ...request.headers };
    return service.respond(route, { ...request, headers }, this);
  }

  /** @param onComment called for each comment, which shows that the connection is alive */
  async *events(
    response: Response,
    onComment: (text: string) => void,
  ): AsyncGenerator<EventSourceMessage, void, undefined> {
    const events: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (event) => events.push(event), onComment });
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    for (;;) {
      const chunk = await reader?.read().catch((error: unknown) => fail(error, this.signal));
      if (!chunk || chunk.done) return;
      this.wait();
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      yield* events.splice(0);
    }
  }

  override close(): void {
    super.close();
    network.removeEventListener?.('offline', this.lose);
    this.controller.abort();
  }

  private readonly lose = (): void => this.controller.abort(new ConnectionError(new Error('Nothing comes any more.')));
}
