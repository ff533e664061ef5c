import type { FeedEvent } from './feed-events';

/** Milliseconds after which a browser comes back. */
const RETRY = 1_000;

/** What `data:` of an event has: a thin webhook without `api_version`. */
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
 * A block without data is no event; it only tells the client its place, from which it comes back after a cut. Parsers that tell
 * of events alone pass comments on, so a comment says it too.
 */
export const placeText = (place: number): string => `: place ${place}\nid: ${place}\nretry: ${RETRY}\n\n`;

/** Something may be missing before this place. */
export const resetText = (place: number): string =>
  `event: reset\nid: ${place}\ndata: ${JSON.stringify({ id: place })}\n\n`;
