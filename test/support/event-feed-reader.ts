import { createParser } from 'eventsource-parser';
import { eventually } from './eventually';
import { type Answer, call } from './http';

/** An event as a client receives it. */
export interface SeenEvent {
  /** The position. */
  place: number;
  kind: string;
  body: { id: string; type: string; timestamp: string; data: Record<string, unknown> };
}

interface Options {
  token?: string;
  query?: string;
  headers?: Record<string, string>;
}

/** One connection to `GET /events`. */
export class EventFeedReader {
  readonly seen: SeenEvent[] = [];
  /** The position to resume from: the last `id:`. */
  place = 0;
  /** Comments such as pings. */
  comments = 0;
  hasEnded = false;
  readonly ended: Promise<void>;

  private constructor(
    readonly response: Response,
    private readonly controller: AbortController,
  ) {
    this.ended = this.read();
  }

  /**
   * @param url the base address of the API
   * @throws the answer, as text, if it is not a stream
   */
  static async open(url: string, { token, query = '', headers = {} }: Options = {}): Promise<EventFeedReader> {
    const controller = new AbortController();
    const response = await fetch(`${url}/events?${query}`, {
      headers: {
        accept: 'text/event-stream',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      signal: controller.signal,
    });
    if (response.status !== 200) {
      throw new Error(`GET /events answered ${response.status}: ${await response.text()}`);
    }
    const reader = new EventFeedReader(response, controller);
    await eventually(() => reader.place > 0 || reader.hasEnded);
    return reader;
  }

  /** The answer of a request that is refused. */
  static refused(url: string, { token, query = '', headers = {} }: Options = {}): Promise<Answer> {
    return call(`${url}/events?${query}`, { token, headers });
  }

  get kinds(): string[] {
    return this.seen.map(({ kind }) => kind);
  }

  /** Resolves once this number of events has arrived. */
  async until(count: number): Promise<SeenEvent[]> {
    await eventually(() => this.seen.length >= count);
    return this.seen;
  }

  /** Breaks the connection, as a network does. */
  async cut(): Promise<void> {
    this.controller.abort();
    await this.ended;
  }

  private async read(): Promise<void> {
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        this.seen.push({ place: Number(id), kind: event ?? 'message', body: JSON.parse(data) as SeenEvent['body'] });
      },
      onComment: () => this.comments++,
    });
    const decoder = new TextDecoder();
    try {
      for await (const bytes of this.response.body ?? []) {
        const text = decoder.decode(bytes as Uint8Array, { stream: true });
        parser.feed(text);
        this.place = Number([...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? this.place);
      }
    } catch {
      // The connection was cut.
    }
    this.hasEnded = true;
  }
}
