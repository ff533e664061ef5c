import type { OpenAI } from '../../clients/openai';
import type { ResponseEvent } from './check';

/**
 * Reads a new response up to this number of events, and disconnects. @returns the events, and the id of the response
 */
export async function readSome(
  client: OpenAI,
  body: { model: string; input: string },
  count: number,
): Promise<{ id: string; events: ResponseEvent[] }> {
  const stream = await client.responses.create({ ...body, stream: true });
  const events: ResponseEvent[] = [];
  for await (const event of stream) {
    events.push({ ...event });
    if (events.length === count) break;
  }
  const [first] = events as [ResponseEvent, ...ResponseEvent[]];
  return { id: (first.response as { id: string }).id, events };
}

/** The events after those that a reader has, by the client's own way to resume. */
export async function readRest(client: OpenAI, id: string, seen: ResponseEvent[]): Promise<ResponseEvent[]> {
  const last = seen.at(-1)?.sequence_number;
  const stream = await client.responses.retrieve(id, {
    stream: true,
    ...(last !== undefined && { starting_after: last }),
  });
  const events: ResponseEvent[] = [];
  for await (const event of stream) events.push({ ...event });
  return events;
}

export function numbersOf(events: ResponseEvent[]): number[] {
  return events.map(({ sequence_number }) => sequence_number);
}

export function counted(count: number): number[] {
  return Array.from({ length: count }, (_value, index) => index);
}
