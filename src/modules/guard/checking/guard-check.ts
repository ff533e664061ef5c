import type { Charged } from '../../usage/usage.api';
import type { GuardStage } from '../guards/guard.entity';

/** What a text is. */
export const GUARD_PARTS = ['text', 'reasoning', 'arguments', 'file', 'instructions'] as const;

export type GuardPart = (typeof GUARD_PARTS)[number];

/** A part of a text that a guard found. Its place is in UTF-16 code units, and never splits a character. */
export interface GuardSpan {
  start: number;
  end: number;
  type: string;
}

/** A text for a guard. */
export interface GuardText {
  stage: GuardStage;
  part: GuardPart;
  text: string;
  /** Its place in its part, in code points. */
  offset: number;
  /** Whether the part ends with it. */
  final: boolean;
}

/** What a guard does with a text. */
export interface GuardVerdict {
  action: 'allow' | 'mask' | 'block';
  /** Sorted and disjoint. Empty unless the action is `mask`. */
  spans: readonly GuardSpan[];
  /** Number of findings by type. */
  types: Record<string, number>;
  /** False: the guard could not decide, and lets such texts pass. */
  isDecided: boolean;
}

export const GUARD_ACTIONS = ['allow', 'mask', 'block', 'report'] as const;

export type GuardAction = (typeof GUARD_ACTIONS)[number];

/** Why a guard could not decide. `paused`: it failed repeatedly. */
export const GUARD_FAULTS = [
  'timeout',
  'unreachable',
  'forbidden_target',
  'status',
  'too_large',
  'invalid_answer',
  'secret_lost',
  'paused',
  'internal_error',
] as const;

export type GuardFault = (typeof GUARD_FAULTS)[number];

/** A check for the trace of a reply. It has no text. */
export interface GuardCheck {
  name: string;
  stage: GuardStage;
  action: GuardAction;
  types: Record<string, number>;
  duration_ms: number;
  /** Why the guard could not decide; null: it decided. */
  error: GuardFault | null;
  /** A decimal; null: the guard named none. */
  cost: string | null;
}

/** The user and the context that a text belongs to. */
export interface GuardScope {
  userId: number;
  apiKeyId: number | null;
  groupIds: readonly number[];
  /** Null: none. */
  agent: { id: number; name: string } | null;
  /** Language tag; null: unknown. */
  language: string | null;
  /** Null: none. */
  chatId: number | null;
  /** Id of the reply; null: none. */
  messageId: number | null;
  /** The plan and the groups that costs are charged to. Absent: the current ones. */
  charged?: Charged | null;
  /** Receives each check when it has ended, which for `report` may be later. Absent: checks are not recorded. */
  record?: (check: GuardCheck) => void;
}
