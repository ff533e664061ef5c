import type { DecisionDto } from 'chat-service-client';

/** A user's decision about an action. */
export type Wish = Omit<DecisionDto, 'stream_format'>;
