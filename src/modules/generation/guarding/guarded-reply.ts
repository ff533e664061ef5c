import type { AppliedGuard, GuardScope, Masks } from '../../guard/guard.api';
import type { ReleasedText } from './window-release';

/** The kinds of output that are released as they grow. */
export type GrowingKind = 'text' | 'reasoning';

/** A reply whose output is guarded. */
export interface GuardedReply {
  scope: GuardScope;
  masks: Masks;
  /** Of the output stage. Empty: only masks are replaced by their values. */
  guards: readonly AppliedGuard[];
  released: Record<GrowingKind, ReleasedText>;
  /** Stores new masks before they are shown. */
  saveMasks: () => Promise<void>;
}
