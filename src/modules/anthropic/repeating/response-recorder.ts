import type { Response } from 'express';
import type { StoredAnswer } from './answer.store';

/** Larger responses are not stored: with its overhead, a row must fit into one statement of MariaDB. */
const LARGEST = 8 * 1_048_576;

/** How far from its end a stream is searched for its last event. */
const END = 200;

/** Keeps the bytes of a response while they are sent. */
export class ResponseRecorder {
  private readonly parts: Buffer[] = [];
  private length = 0;

  constructor(private readonly response: Response) {
    const write = response.write.bind(response) as (...chunks: unknown[]) => boolean;
    const end = response.end.bind(response) as (...chunks: unknown[]) => Response;
    response.write = ((chunk: unknown, ...others: unknown[]) => {
      this.add(chunk);
      return write(chunk, ...others);
    }) as Response['write'];
    response.end = ((chunk: unknown, ...others: unknown[]) => {
      this.add(chunk);
      return end(chunk, ...others);
    }) as Response['end'];
  }

  /** Waits until the response was sent, or the client is gone. @returns null if it is no complete success */
  async whenSent(): Promise<StoredAnswer | null> {
    const { response } = this;
    if (!response.writableFinished && !response.destroyed) {
      await new Promise<void>((resolve) => response.once('close', resolve));
    }
    const body = Buffer.concat(this.parts);
    const contentType = response.getHeader('content-type');
    const requestId = response.getHeader('x-request-id');
    const isComplete = response.writableFinished && response.statusCode === 200 && this.length <= LARGEST;
    if (!isComplete || typeof contentType !== 'string' || typeof requestId !== 'string') {
      return null;
    }
    return isWhole(contentType, body) ? { body, contentType, requestId } : null;
  }

  private add(chunk: unknown): void {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
      const part = Buffer.from(chunk as string);
      this.length += part.length;
      if (this.length <= LARGEST) {
        this.parts.push(part);
      }
    }
  }
}

/** A stream that ended with an error has no `message_stop`. */
function isWhole(contentType: string, body: Buffer): boolean {
  return !contentType.startsWith('text/event-stream') || body.subarray(-END).includes('message_stop');
}
