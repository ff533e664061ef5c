import type { Response } from 'express';
import { SilenceTimer } from '../../../common/http/server/silence-timer';
import { writeHead } from '../../../common/http/server/stream-head';
import type { RelayedAnswer } from '../../../integrations/llm/port/relay';
import type { RelaySink } from '../../generation/generation.api';
import type { AnthropicErrorBody } from '../errors/anthropic-error-body';

/** The provider's own id of a request. */
export const PROVIDER_REQUEST_ID = 'X-Provider-Request-Id';

/** The connection of a client that reads nothing for this time is closed. */
const STALLED_MILLISECONDS = 60_000;

const PING = 'event: ping\ndata: {"type": "ping"}\n\n';

/** Writes a relayed response to a client without changing its bytes. */
export class RelayWriter implements RelaySink {
  /** Whether the head of a stream was sent. */
  isStreaming = false;
  /** The body of a response that is not a stream. Null: none so far. */
  body: Buffer | null = null;
  private contentType = 'application/json';
  private silence: SilenceTimer | null = null;
  private open: () => void = () => undefined;
  private readonly whenOpen = new Promise<void>((resolve) => (this.open = resolve));

  /** @param silenceMilliseconds after which a ping is sent */
  constructor(
    private readonly response: Response,
    private readonly silenceMilliseconds: number,
  ) {}

  /** Call it when all headers of the response are set. Nothing is sent before. */
  allowHead(): void {
    this.open();
  }

  async begin({ contentType, requestId, isStream }: Omit<RelayedAnswer, 'parts'>): Promise<void> {
    await this.whenOpen;
    const { response } = this;
    if (response.destroyed) {
      return;
    }
    this.contentType = contentType ?? this.contentType;
    if (requestId !== null) {
      response.setHeader(PROVIDER_REQUEST_ID, requestId);
    }
    if (isStream) {
      this.isStreaming = true;
      writeHead(response, { 'Content-Type': this.contentType });
      const silence = new SilenceTimer(this.silenceMilliseconds, () => this.ping());
      this.silence = silence;
      response.once('close', () => silence.stop());
    }
  }

  write(bytes: Buffer): Promise<void> | void {
    if (!this.isStreaming) {
      this.body = bytes;
      return;
    }
    this.silence?.restart();
    if (!this.response.destroyed && !this.response.write(bytes)) {
      return drained(this.response);
    }
  }

  /** Ends a complete response. */
  end(): void {
    this.silence?.stop();
    const { response, body } = this;
    if (response.destroyed) {
      return;
    }
    if (body !== null && !this.isStreaming) {
      response.setHeader('Content-Type', this.contentType);
      response.setHeader('Content-Length', body.length);
    }
    response.end(body ?? undefined);
  }

  /** Ends a stream with an error event. Null: the client already has one. */
  fail(error: AnthropicErrorBody | null): void {
    this.silence?.stop();
    if (!this.response.destroyed) {
      this.response.end(error === null ? undefined : `event: error\ndata: ${JSON.stringify(error)}\n\n`);
    }
  }

  private ping(): void {
    if (!this.response.destroyed && !this.response.writableNeedDrain) {
      this.response.write(PING);
    }
  }
}

/** Resolves when the client has read what was sent, or is gone. */
function drained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    // Without a listener for the timeout, the server destroys the socket.
    response.setTimeout(STALLED_MILLISECONDS);
    const settle = (): void => {
      response.off('drain', settle).off('close', settle);
      response.setTimeout(0);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
}
