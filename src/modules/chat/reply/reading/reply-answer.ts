import type { QuotaRemaining } from '../../../usage/usage.api';
import type { LiveReply } from '../live-reply';

/** The reply to a message. */
export interface ReplyAnswer {
  reply: LiveReply;
  /** What its sender could still send once it was taken; null when it was not taken now. */
  quota: QuotaRemaining | null;
}
