import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpFailure } from './mcp-failure';

/** The maximum number of notifications and requests of a server within one exchange. */
const MOST_MESSAGES = 1_000;

/**
 * Watches the messages of a transport: whether a call was sent, how many arrived, and whether a response is still
 * possible.
 */
export class TransportWatch {
  private readonly calls = new Set<unknown>();
  private received = 0;
  private readonly answered = new Set<unknown>();
  private readonly cancelling: Promise<unknown>[] = [];
  private fail: (failure: McpFailure) => void = () => undefined;
  private readonly broken = new Promise<never>((_resolve, reject) => (this.fail = reject));

  constructor(
    transport: StreamableHTTPClientTransport,
    private readonly onFailure: (failure: Error) => void,
  ) {
    this.broken.catch(() => undefined);
    this.watchSending(transport);
    this.watchReceiving(transport);
  }

  get isCallSent(): boolean {
    return this.calls.size > 0;
  }

  /** @throws McpFailure when a response is no longer possible */
  orBroken<Result>(work: Promise<Result>): Promise<Result> {
    return Promise.race([work, this.broken]);
  }

  async farewells(): Promise<void> {
    await Promise.all(this.cancelling);
  }

  private watchSending(transport: StreamableHTTPClientTransport): void {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      const { method = '', id } = message as { method?: string; id?: unknown };
      if (method === 'tools/call') this.calls.add(id);
      const requireAnswer = (): void => {
        if (id !== undefined && !this.answered.has(id)) this.fail(new McpFailure('unreachable'));
      };
      // The messages of a response stream are delivered before its end is handled.
      const onRequestStreamEnd = (): void => void setImmediate(requireAnswer);
      const sending = send(message, { ...options, onRequestStreamEnd });
      if (method === 'notifications/cancelled') this.cancelling.push(sending.catch(() => undefined));
      return sending;
    };
  }

  private watchReceiving(transport: StreamableHTTPClientTransport): void {
    let deliver: StreamableHTTPClientTransport['onmessage'];
    const receive: typeof deliver = (message) => {
      if (!('method' in message)) {
        this.answered.add(message.id);
      } else if (++this.received > MOST_MESSAGES) {
        this.onFailure(new McpFailure('too_large'));
        return;
      }
      // The result of an executed call is accepted even if it lacks the `resultType` of protocol version 2026-07-28; it
      // then counts as complete.
      const isOfCall = 'result' in message && this.calls.has(message.id);
      deliver?.(isOfCall ? { ...message, result: { resultType: 'complete', ...message.result } } : message);
    };
    Object.defineProperty(transport, 'onmessage', {
      get: () => (deliver === undefined ? undefined : receive),
      set: (handler: typeof deliver) => {
        deliver = handler === receive ? deliver : handler;
      },
    });
  }
}
