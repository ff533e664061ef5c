/** What a sweep counts as deleted, in the order of the API. */
export const DELETED_COUNTS = [
  'chats',
  'messages',
  'files',
  'bytes',
  'events',
  'failed_replies',
  'traces',
  'ledger',
  'audit',
] as const;

export type DeletedCount = (typeof DELETED_COUNTS)[number];

export type DeletedCounts = Record<DeletedCount, number>;

/** Due data that legal holds keep. */
export type HeldCounts = Record<'chats' | 'files', number>;

export const noneDeleted = (): DeletedCounts =>
  Object.fromEntries(DELETED_COUNTS.map((name) => [name, 0])) as DeletedCounts;

export const noneHeld = (): HeldCounts => ({ chats: 0, files: 0 });
