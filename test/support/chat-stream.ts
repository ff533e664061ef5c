import type { ReplyTrailerDto } from '../../src/modules/chat/reading/formats/reply-trailer.dto';
import type { ErrorAnswer } from './http';

export const USAGE_MARKER = '__TOKEN_USAGE__';

interface OpenOptions {
  token: string;
  body?: object;
  headers?: Record<string, string>;
}

/** A streamed answer, read like a client with `fetch` reads it. */
export class ReplyStream {
  /** The text read so far. */
  received = '';
  private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private isOver = false;

  private constructor(
    readonly response: Response,
    private readonly controller: AbortController,
  ) {
    this.reader = response.body?.getReader();
  }

  static async open(url: string, { token, body, headers = {} }: OpenOptions): Promise<ReplyStream> {
    const controller = new AbortController();
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: controller.signal,
    });
    return new ReplyStream(response, controller);
  }

  get status(): number {
    return this.response.status;
  }

  header(name: string): string | null {
    return this.response.headers.get(name);
  }

  /** Reads until the text received contains `text`. */
  async until(text: string): Promise<string> {
    while (!this.received.includes(text)) {
      if (!(await this.readOnce())) {
        throw new Error(`The stream ended without ${JSON.stringify(text)}: ${JSON.stringify(this.received)}`);
      }
    }
    return this.received;
  }

  /** Reads to the end. Rejects when the connection breaks. */
  async rest(): Promise<string> {
    while (await this.readOnce()) {
      // The whole text is kept in `received`.
    }
    return this.received;
  }

  /** Reads a plain stream to the end and parses it like the simplest client: split at the marker. */
  async plain(): Promise<{ text: string; trailer: ReplyTrailerDto }> {
    const parts = (await this.rest()).split(`\n${USAGE_MARKER}`);
    const [text = '', json = ''] = parts;
    expect(parts).toHaveLength(2);
    expect(json.endsWith('\n')).toBe(true);
    return { text, trailer: JSON.parse(json) as ReplyTrailerDto };
  }

  /** Reads server-sent events to the end and parses them. */
  async events(): Promise<{ event: string; id: number; data: Record<string, unknown> }[]> {
    const blocks = (await this.rest()).split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
    return blocks.map((block) => {
      const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
      return {
        event: fields.get('event') ?? '',
        id: Number.parseInt(fields.get('id') ?? '', 10),
        data: JSON.parse(fields.get('data') ?? 'null') as Record<string, unknown>,
      };
    });
  }

  /** Reads the body of a failure. */
  async failure(): Promise<ErrorAnswer['error']> {
    return (JSON.parse(await this.rest()) as ErrorAnswer).error;
  }

  /** Disconnects, like a closed browser tab. */
  leave(): void {
    this.controller.abort();
    this.isOver = true;
  }

  private async readOnce(): Promise<boolean> {
    if (this.isOver || !this.reader) {
      return false;
    }
    const { done, value } = await this.reader.read();
    this.isOver = done;
    this.received += this.decoder.decode(value, { stream: !done });
    return !done;
  }
}
