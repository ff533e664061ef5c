// Wire IDs contain the row IDs of the conversation, so they need no table.

/** IDs of the items of one message. Each item type has its own count: `msg_7`, `msg_7_1`; `fc_7_0`, `fc_7_1`. */
export const itemId = {
  message: (messageId: number, index: number): string =>
    index === 0 ? `msg_${messageId}` : `msg_${messageId}_${index}`,
  reasoning: (messageId: number, index: number): string => `rs_${messageId}_${index}`,
  functionCall: (messageId: number, index: number): string => `fc_${messageId}_${index}`,
  functionCallOutput: (messageId: number, index: number): string => `fco_${messageId}_${index}`,
  customCall: (messageId: number, index: number): string => `ctc_${messageId}_${index}`,
  customCallOutput: (messageId: number, index: number): string => `ctco_${messageId}_${index}`,
  compaction: (messageId: number, index: number): string => `cmp_${messageId}_${index}`,
  fileSearch: (messageId: number, call: number): string => `fs_${messageId}_${call}`,
  mcpCall: (messageId: number, call: number): string => `mcp_${messageId}_${call}`,
  listedTools: (messageId: number, index: number): string => `mcpl_${messageId}_${index}`,
  approvalRequest: (messageId: number, call: number): string => `mcpr_${messageId}_${call}`,
  approvalResponse: (messageId: number, call: number): string => `mcpa_${messageId}_${call}`,
};

/**
 * `resp_7`, and `resp_7_1` for its first continuation.
 *
 * @param number the number of the continuation, from 1; 0: the first response of the reply
 */
export const responseId = (messageId: number, number = 0): string =>
  number === 0 ? `resp_${messageId}` : `resp_${messageId}_${number}`;

export const conversationId = (chatId: number): string => `conv_${chatId}`;

/** The length of the longest IDs that this service writes: `resp_2147483647_999999`, `ctco_2147483647_999999`. */
export const LONGEST_WIRE_ID = 22;
export const LONGEST_ITEM_ID = 22;

/** The conversation of an ID; null for a text that is not such an ID. */
export function readConversationId(id: string): number | null {
  const [, digits] = /^conv_([1-9]\d{0,9})$/.exec(id) ?? [];
  return toRowId(digits);
}

/** A reply and a numbered part of it. */
export interface PartId {
  messageId: number;
  number: number;
}

/** The reply and the part of a response ID; null for a text that is not such an ID. */
export function readResponseId(id: string): PartId | null {
  const [, digits, number = '0'] = /^resp_([1-9]\d{0,9})(?:_([1-9]\d{0,5}))?$/.exec(id) ?? [];
  return toPartId(digits, number);
}

/** The reply and the call number of an approval request ID; null for a text that is not such an ID. */
export function readApprovalId(id: string): PartId | null {
  const [, digits, number = ''] = /^mcpr_([1-9]\d{0,9})_(0|[1-9]\d{0,5})$/.exec(id) ?? [];
  return toPartId(digits, number);
}

/** The message of an item ID; null for a text that is not such an ID. */
export function messageOfItem(id: string): number | null {
  const [, digits] =
    /^(?:msg|rs|fc|fco|ctc|ctco|cmp|fs|mcp|mcpl|mcpr|mcpa)_([1-9]\d{0,9})(?:_\d{1,6})?$/.exec(id) ?? [];
  return toRowId(digits);
}

/** ID columns have 32 bits. */
const LARGEST_ROW_ID = 2_147_483_647;

function toPartId(digits: string | undefined, number: string): PartId | null {
  const messageId = toRowId(digits);
  return messageId === null ? null : { messageId, number: Number(number) };
}

function toRowId(digits: string | undefined): number | null {
  const id = Number(digits);
  return digits === undefined || id > LARGEST_ROW_ID ? null : id;
}
