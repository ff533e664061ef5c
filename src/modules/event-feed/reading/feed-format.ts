import type { FeedEvent } from './feed-events';

/** Milliseconds after which a browser reconnects. */
const RETRY = 1_000;

/** The `data:` of an event: a thin webhook without `api_version`. */
export interface FeedEventBody {
  id: string;
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export function eventText({ number, publicId, type, data, occurredAt }: FeedEvent): string {
  const body: FeedEventBody = { id: publicId, type, timestamp: occurredAt.toISOString(), data };
  return `event: ${type}\nid: ${number}\ndata: ${JSON.stringify(body)}\n\n`;
}

/**
 * A block without data is not an event. It only informs the client of its place, from which it resumes after a
 * disconnect. Parsers that report only events pass comments on, so a comment contains the place too.
 */
export const placeText = (place: number): string => `: place ${place}\nid: ${place}\nretry: ${RETRY}\n\n`;

/** Events may be missing before this place. */
export const resetText = (place: number): string =>
  `event: reset\nid: ${place}\ndata: ${JSON.stringify({ id: place })}\n\n`;
