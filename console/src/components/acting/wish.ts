import type { DecisionDto } from 'chat-service-client';

/** What somebody decides. */
export type Wish = Omit<DecisionDto, 'stream_format'>;
