import { ProviderError } from '../port/llm.errors';
import type { RelayedAnswer } from '../port/relay';
import { EventSplitter } from './event-splitter';

/** Largest response that is not a stream, in bytes. */
const LARGEST_BODY = 64 * 1_048_576;

/** The complete events of a stream, or the whole body. @throws ProviderError if the response ends within an event */
export async function* wholeParts({ isStream, parts }: RelayedAnswer): AsyncGenerator<Buffer> {
  if (!isStream) {
    yield await wholeOf(parts);
    return;
  }
  const splitter = new EventSplitter();
  for await (const part of parts) {
    yield* splitter.add(part);
  }
  if (splitter.isWithinEvent) {
    throw incompleteMessage();
  }
}

/** The failure of a response that ends before the message does. */
export function incompleteMessage(
  reason = 'The provider ended the response before the end of the message.',
): ProviderError {
  return new ProviderError({}, { cause: new Error(reason), retryable: true });
}

async function wholeOf(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  let length = 0;
  for await (const part of parts) {
    length += part.length;
    if (length > LARGEST_BODY) {
      throw incompleteMessage(`The answer is larger than ${LARGEST_BODY} bytes.`);
    }
    all.push(part);
  }
  return Buffer.concat(all, length);
}
