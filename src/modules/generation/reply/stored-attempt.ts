import { formatAmount } from '../../../common/money/amount';
import { wholeMilliseconds } from '../../../common/time';
import type { AskedModel } from '../../../integrations/llm/port/asked-model';
import type { AskedRequest } from './generation-task';

/** Requests of a reply that are kept, the newest: a run of many rounds may have more. What a round cost is summed from its own. */
export const MOST_ATTEMPTS = 64;

/** Longest sentence of a provider that is kept, in UTF-16 units. */
const LONGEST_SENTENCE = 300;

/**
 * A request to a model, as it is stored with the reply. What is usual is left out, so that an ordinary reply keeps some eighty
 * bytes.
 */
export interface StoredAttempt {
  /** Absent: `reply`. */
  kind?: AskedRequest['kind'];
  provider: string;
  model: string;
  /** Absent: the first. */
  round?: number;
  /** Milliseconds from the start of the reply to that of the request. */
  at: number;
  /** Milliseconds from its start to its first word; absent: none came. */
  first?: number;
  /** Milliseconds from its start to its end. */
  ms: number;
  /** Why it failed; absent: it did not. */
  code?: string;
  /** HTTP status of the refusal. */
  status?: number;
  /** What the provider said, without keys; for administrators only. */
  said?: string;
  /** What the model refused, and is not sent from then on. */
  refused?: string;
  /** Whether whoever asked has ended it, or a crash has. */
  cut?: true;
  /** Of one that a crash has cut: what its round had said by then, and is billed. */
  billed?: Spoken;
  /** What it cost, where the ledger has it although the reply has not ended; null: it has no price. */
  cost?: string | null;
}

/** Text and reasoning in UTF-16 units, and the number of calls. */
export interface Spoken {
  text: number;
  reasoning: number;
  calls: number;
}

/** @param before those of earlier rounds */
export function withAttempts(
  before: readonly StoredAttempt[],
  requests: readonly AskedRequest[],
  { startedAt, round }: { startedAt: Date; round: number },
): StoredAttempt[] {
  const fresh = requests.map(({ kind, asked, at, written }): StoredAttempt => ({
    ...(kind !== 'reply' && { kind }),
    provider: asked.provider,
    model: asked.model,
    ...(round > 1 && { round }),
    at: Math.max(0, at.getTime() - startedAt.getTime()),
    ...timesOf(asked),
    ...endOf(asked),
    ...(written !== undefined && { cost: formatAmount(written.cost) }),
  }));
  return [...before, ...fresh].slice(-MOST_ATTEMPTS);
}

function timesOf({ startedAt, firstAt, endedAt }: AskedModel): Pick<StoredAttempt, 'first' | 'ms'> {
  const ms = wholeMilliseconds((endedAt ?? performance.now()) - startedAt);
  return firstAt === null ? { ms } : { first: wholeMilliseconds(firstAt - startedAt), ms };
}

function endOf({ failure, isCut }: AskedModel): Partial<StoredAttempt> {
  if (failure === null) {
    return isCut ? { cut: true } : {};
  }
  const { code, status, message, refused } = failure;
  return {
    code,
    ...(status !== null && { status }),
    ...(message !== null && { said: message.slice(0, LONGEST_SENTENCE).toWellFormed() }),
    ...(refused !== null && { refused }),
  };
}
