import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ConnectionError } from './errors';
import { type AnyRequest, fail, type Service } from './request';

/** The service sends something every ten seconds, so a silent connection is a dead one that nobody has reported. */
const SILENCE_MILLISECONDS = 30_000;

/** Browsers tell here that they are offline or online; programs have no such events. */
export const network = globalThis as Partial<EventTarget>;

/** One request for server-sent events, which ends when nothing more comes. */
export class EventConnection {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param signal of the caller, who may leave */
  constructor(private readonly signal?: AbortSignal) {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', this.leave);
    network.addEventListener?.('offline', this.lose);
    this.wait();
  }

  open(service: Service, route: string, request: AnyRequest): Promise<Response> {
    const headers = { accept: 'text/event-stream', ...request.headers };
    return service.respond(route, { ...request, headers, signal: this.controller.signal });
  }

  /** @param onPing called when the service shows that it is there */
  async *events(response: Response, onPing: () => void): AsyncGenerator<EventSourceMessage, void, undefined> {
    const events: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (event) => events.push(event), onComment: onPing });
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    for (;;) {
      const chunk = await reader?.read().catch((error: unknown) => fail(error, this.controller.signal));
      if (!chunk || chunk.done) return;
      this.wait();
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      yield* events.splice(0);
    }
  }

  close(): void {
    clearTimeout(this.timer);
    this.signal?.removeEventListener('abort', this.leave);
    network.removeEventListener?.('offline', this.lose);
    this.controller.abort();
  }

  private readonly leave = (): void => this.controller.abort(this.signal?.reason);

  private readonly lose = (): void => this.controller.abort(new ConnectionError(new Error('Nothing comes any more.')));

  private wait(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.lose, SILENCE_MILLISECONDS);
  }
}
