import { formatAmount } from '../../../common/money/amount';
import { wholeMilliseconds } from '../../../common/time';
import type { CalledModel } from '../../../integrations/llm/port/called-model';
import type { ReplyRequest } from './generation-task';

/**
 * Number of requests stored with a reply, the newest. A reply of many rounds may have more. The cost of a round comes
 * from its own requests.
 */
export const MOST_REQUESTS = 64;

/** Maximum length of a provider's message, in UTF-16 code units. */
const LONGEST_SENTENCE = 300;

/**
 * A request to a model as it is stored with the reply. Usual values are omitted, so that an ordinary reply needs about
 * 80 bytes.
 */
export interface StoredRequest {
  /** Absent: `reply`. */
  kind?: ReplyRequest['kind'];
  provider: string;
  model: string;
  /** Absent: the first. */
  round?: number;
  /** Milliseconds from the start of the reply to the request. */
  at: number;
  /** Milliseconds from the request to its first output. Absent: none. */
  first?: number;
  /** Duration in milliseconds. */
  ms: number;
  /** Error code. Absent: the request did not fail. */
  code?: string;
  /** HTTP status of the failure. */
  status?: number;
  /** The provider's message, without keys. Only for administrators. */
  said?: string;
  /** The feature that the model refused. It is not sent to the model any more. */
  refused?: string;
  /** Whether the client or a crash cut the request off. */
  cut?: true;
  /** Output of the round that is billed, if a crash cut it off. */
  billed?: Spoken;
  /** The cost, if the ledger has it before the reply ends. Null: the model has no price. */
  cost?: string | null;
  /** The id of its span. Absent without tracing. */
  span?: string;
}

/** Length of text and reasoning in UTF-16 code units, and the number of calls. */
export interface Spoken {
  text: number;
  reasoning: number;
  calls: number;
}

/** @param before the requests of earlier rounds */
export function withRequests(
  before: readonly StoredRequest[],
  requests: readonly ReplyRequest[],
  { startedAt, round }: { startedAt: Date; round: number },
): StoredRequest[] {
  const fresh = requests.map(({ kind, called, at, written }): StoredRequest => ({
    ...(kind !== 'reply' && { kind }),
    provider: called.provider,
    model: called.model,
    ...(round > 1 && { round }),
    at: Math.max(0, at.getTime() - startedAt.getTime()),
    ...timesOf(called),
    ...endOf(called),
    ...(written !== undefined && { cost: formatAmount(written.cost) }),
    ...(called.spanId !== undefined && { span: called.spanId }),
  }));
  return [...before, ...fresh].slice(-MOST_REQUESTS);
}

function timesOf({ startedAt, firstAt, endedAt }: CalledModel): Pick<StoredRequest, 'first' | 'ms'> {
  const ms = wholeMilliseconds((endedAt ?? performance.now()) - startedAt);
  return firstAt === null ? { ms } : { first: wholeMilliseconds(firstAt - startedAt), ms };
}

function endOf({ failure, isCut }: CalledModel): Partial<StoredRequest> {
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
