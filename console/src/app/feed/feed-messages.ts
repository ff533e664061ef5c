/** The kinds of events that pages show. */
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
 * What happened, as the feed of the service tells it; `reset`: something may have been missed; `opened`: from now on
 * everything is told.
 */
export interface Happening {
  type: (typeof FEED_KINDS)[number] | 'reset' | 'opened';
  /** When, by the clock of the service. */
  timestamp: string;
  data: { chat_id?: number; user_id?: number; changed?: string[]; action_id?: number };
}

/** The feed is open. */
export const OPENED: Happening = { type: 'opened', timestamp: '', data: {} };

/** From a tab to the worker. A ticket that could not be had is null. */
export type ToWorker = { kind: 'join' } | { kind: 'leave' } | { kind: 'ticket'; ticket: string | null };

/** From the worker to a tab. */
export type ToTab = { kind: 'ticket' } | { kind: 'happened'; event: Happening };
