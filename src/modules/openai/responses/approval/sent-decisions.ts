import { type ApprovalItem, type InputItem, isServerCall } from '../request/input-item-schema';
import type { ResponseRequest } from '../request/response-request-schema';

/** The decisions about tool calls in a request. */
export interface Decisions {
  /** Each decision with its path in the input. */
  approvals: readonly { item: ApprovalItem; field: string }[];
  /** The remaining input, for a response after the continued reply. */
  rest: readonly InputItem[];
}

/**
 * The decisions in a request; null: none. Clients that store their conversations send all earlier decisions again, so
 * only those at the end count.
 */
export function readDecisions({ input, conversation, previous_response_id }: ResponseRequest): Decisions | null {
  if (!Array.isArray(input)) {
    return null;
  }
  const isContinued = conversation !== null || previous_response_id !== null;
  const first = isContinued ? 0 : input.findLastIndex((item) => !isAnswer(item)) + 1;
  const answers = input.map((item, index) => ({ item, field: `input[${index}]` })).slice(first);
  const approvals = answers.flatMap(({ item, field }) => (isApproval(item) ? [{ item, field }] : []));
  const rest = answers.flatMap(({ item }) => (isSaid(item) ? [item] : []));
  return approvals.length === 0 ? null : { approvals, rest };
}

function isApproval(item: InputItem): item is ApprovalItem {
  return 'approval_request_id' in item;
}

/** Whether the item answers a request of a response. */
function isAnswer(item: InputItem): boolean {
  return isApproval(item) || ('output' in item && !isServerCall(item));
}

/** Whether the item becomes part of the conversation. */
function isSaid(item: InputItem): boolean {
  return 'role' in item || 'output' in item || 'name' in item || 'id' in item;
}
