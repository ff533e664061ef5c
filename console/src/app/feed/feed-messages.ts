/** The event types that pages use. */
export const FEED_KINDS = [
  'chat.created',
  'chat.updated',
  'chat.deleted',
  'chat.restored',
  'message.started',
  'message.completed',
  'message.stopped',
  'message.failed',
  'action.required',
  'action.decided',
] as const;

/**
 * An event from the service's feed. `reset` means that events may be missing; `opened` means that every event from now
 * on is delivered.
 */
export interface Happening {
  /** For `opened`: all events after this position are sent; null: only new events. */
  after?: number | null;
  type: (typeof FEED_KINDS)[number] | 'reset' | 'opened';
  /** Time of the event by the service's clock. */
  timestamp: string;
  data: { chat_id?: number; user_id?: number; changed?: string[]; action_id?: number };
}

export const OPENED: Happening = { type: 'opened', timestamp: '', data: {} };

/** What is needed to open the feed: a ticket and the position after which to start, if known. */
export interface Entrance {
  ticket: string;
  place: number | null;
}

/**
 * Messages from a tab to the worker. Only a newly loaded page has an entrance. A null ticket means that the request for
 * one failed.
 */
export type ToWorker =
  | { kind: 'join'; entrance?: Entrance | undefined }
  | { kind: 'leave' }
  | { kind: 'ticket'; ticket: string | null };

/** Messages from the worker to a tab. */
export type ToTab = { kind: 'ticket' } | { kind: 'happened'; event: Happening };
