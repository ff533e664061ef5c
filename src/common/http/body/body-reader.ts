import type { Readable } from 'node:stream';
import { InvalidJsonError, PayloadTooLargeError } from '../../errors/common.errors';
import { InvalidParameterError } from '../../errors/validation.errors';

/** A body may come in so many parts, and in one more for each so many bytes: each part costs some microseconds. */
const PARTS = 10_000;
const BYTES_PER_PART = 512;

/** In each period so many bytes must come, or the rest of the body. */
const LEAST_BYTES = 65_536;
const PERIOD_MILLISECONDS = 10_000;

/**
 * Hands each part of a body over as it arrives. When `take` throws, or the body is too slow or in too many parts, nothing
 * more is read.
 *
 * @throws what `take` throws, PayloadTooLargeError, InvalidParameterError; InvalidJsonError when the connection ends before
 *   the body is complete
 */
export function readParts(request: Readable, take: (part: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let parts = 0;
    let bytes = 0;
    let before = 0;
    const onData = (part: Buffer): void => {
      bytes += part.length;
      parts++;
      try {
        if (parts > PARTS + bytes / BYTES_PER_PART) {
          throw new PayloadTooLargeError();
        }
        take(part);
      } catch (error) {
        refuse(error as Error);
      }
    };
    const onEnd = (): void => {
      stop();
      resolve();
    };
    const onClose = (): void => refuse(new InvalidJsonError());
    const timer = setInterval(() => {
      if (bytes - before < LEAST_BYTES) {
        refuse(new InvalidParameterError([{ field: 'request', reason: 'timed_out' }]));
      }
      before = bytes;
    }, PERIOD_MILLISECONDS).unref();
    const stop = (): void => {
      clearInterval(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    };
    const refuse = (error: Error): void => {
      stop();
      request.pause();
      reject(error);
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    if (request.destroyed) {
      onClose();
    }
  });
}
