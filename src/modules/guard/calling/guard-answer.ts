import { type Amount, parseDecimal } from '../../../common/money/amount';
import { isLonger } from '../../../common/validation/fields';
import type { GuardSpan } from '../checking/guard-check';
import type { TextPlaces } from '../checking/guard-spans';
import { joinSpans } from '../masking/mask-text';

export const SPAN_TYPE = /^[A-Z][A-Z0-9_]{0,31}$/;

const LONGEST_REASON = 200;

const ACTIONS = ['allow', 'mask', 'block'] as const;

/** The answer of a guard, with places in UTF-16 code units. */
export interface GuardAnswer {
  action: (typeof ACTIONS)[number];
  spans: GuardSpan[];
  reason: string | null;
  /** Null: the guard named none. */
  cost: Amount | null;
}

/** The answer, or null if it breaks a rule of the port. */
export function readAnswer(body: string, places: TextPlaces): GuardAnswer | null {
  const answer = parse(body);
  if (answer === null || !ACTIONS.includes(answer.action as GuardAnswer['action'])) {
    return null;
  }
  const { reason = null, cost = null } = answer;
  const action = answer.action as GuardAnswer['action'];
  const spans = readSpans(answer.spans ?? [], places);
  const amount = cost === null ? null : typeof cost === 'string' ? parseDecimal(cost) : undefined;
  if (spans === null || (action === 'mask' && spans.length === 0) || amount === undefined) {
    return null;
  }
  if ((cost !== null && (amount === null || amount < 0n)) || !isReason(reason)) {
    return null;
  }
  return { action, spans: joinSpans(spans), reason, cost: amount };
}

function parse(body: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(body) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function isReason(reason: unknown): reason is string | null {
  return reason === null || (typeof reason === 'string' && !isLonger(reason, LONGEST_REASON));
}

/** Null if one of them is not within the text. */
function readSpans(value: unknown, places: TextPlaces): GuardSpan[] | null {
  if (!Array.isArray(value)) {
    return null;
  }
  const spans: GuardSpan[] = [];
  for (const one of value as ({ start?: unknown; end?: unknown; type?: unknown } | null)[]) {
    const { start, end, type } = one ?? {};
    const isPlace = Number.isInteger(start) && Number.isInteger(end);
    if (!isPlace || typeof type !== 'string' || !SPAN_TYPE.test(type)) {
      return null;
    }
    if ((start as number) < 0 || (end as number) <= (start as number) || (end as number) > places.codePoints) {
      return null;
    }
    spans.push({ start: places.toUnits(start as number), end: places.toUnits(end as number), type });
  }
  return spans;
}
