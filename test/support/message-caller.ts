import { request } from 'undici';
import { call, type CallOptions } from './http';

/** An event of a streamed message. */
export interface MessageEvent {
  type: string;
  index?: number;
  message?: MessageAnswer;
  content_block?: MessageBlock;
  delta?: { type?: string; signature?: string; stop_reason?: string; [name: string]: unknown };
  usage?: Record<string, unknown>;
  error?: { type: string; message: string; details?: Record<string, unknown> };
}

export interface MessageBlock {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  id?: string;
  name?: string;
  input?: unknown;
}

/** A message, or an error instead. */
export interface MessageAnswer {
  id: string;
  type: string;
  model: string;
  content: MessageBlock[];
  stop_reason: string | null;
  usage: Record<string, unknown>;
  error?: { type: string; message: string; details?: Record<string, unknown> };
}

/** The events of a stream. Throws if a name differs from its type. */
export function messageEventsOf(text: string): MessageEvent[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const [, name, data = ''] = /^event: (.+)\ndata: (.+)$/.exec(event) ?? [];
      const parsed = JSON.parse(data) as MessageEvent;
      if (parsed.type !== name) throw new Error(`The event ${name} has the type ${parsed.type}.`);
      return parsed;
    });
}

/** A short form of events: type, index, and the type of the block or the delta. */
export const shapeOf = (events: readonly MessageEvent[]): string[] =>
  events.map(({ type, index, content_block: block, delta }) =>
    [type, index, block?.type ?? delta?.type].filter((one) => one !== undefined).join(' '),
  );

/** Calls of POST /anthropic/v1/messages for one caller. */
export class MessageCaller {
  constructor(
    private readonly origin: string,
    readonly token: string,
  ) {}

  create(body: object, options: CallOptions = {}) {
    const whole = { max_tokens: 1_000, ...body };
    return call<MessageAnswer>(`${this.origin}/anthropic/v1/messages`, { token: this.token, body: whole, ...options });
  }

  count(body: object) {
    const url = `${this.origin}/anthropic/v1/messages/count_tokens`;
    return call<{ input_tokens: number } & MessageAnswer>(url, { token: this.token, body });
  }

  async stream(body: object, options: CallOptions = {}) {
    const answer = await this.create({ stream: true, ...body }, options);
    return { ...answer, events: answer.status === 200 ? messageEventsOf(answer.text) : [] };
  }

  /** The pieces of a streamed message as they arrive. */
  async open(body: object): Promise<AsyncIterable<string>> {
    const { body: pieces } = await request(`${this.origin}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ max_tokens: 1_000, stream: true, ...body }),
    });
    return pieces.setEncoding('utf8') as AsyncIterable<string>;
  }
}
