import { type ApprovalItem, type InputItem, isServerCall } from '../request/input-item-schema';
import type { ResponseRequest } from '../request/response-request-schema';

/** What a request decides about calls of tools. */
export interface Decisions {
  /** Each with its place in the input. */
  approvals: readonly { item: ApprovalItem; field: string }[];
  /** What is said besides, once the reply has gone on. */
  rest: readonly InputItem[];
}

/**
 * The decisions of a request; null: it has none. Clients that keep their conversations themselves send all of them again, with
 * what was decided before: then only those at the end count.
 */
export function decisionsIn({ input, conversation, previous_response_id }: ResponseRequest): Decisions | null {
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

/** Answers to what a response asked for. */
function isAnswer(item: InputItem): boolean {
  return isApproval(item) || ('output' in item && !isServerCall(item));
}

/** Whether it becomes a part of the conversation. */
function isSaid(item: InputItem): boolean {
  return 'role' in item || 'output' in item || 'name' in item || 'id' in item;
}
