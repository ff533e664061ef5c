// Ids on the wire name the rows of the conversation, so they need no table of their own.

/** Ids of the items of one message. Each kind of item counts for itself: `msg_7`, `msg_7_1`; `fc_7_0`, `fc_7_1`. */
export const itemId = {
  message: (messageId: number, index: number): string =>
    index === 0 ? `msg_${messageId}` : `msg_${messageId}_${index}`,
  reasoning: (messageId: number, index: number): string => `rs_${messageId}_${index}`,
  functionCall: (messageId: number, index: number): string => `fc_${messageId}_${index}`,
  functionCallOutput: (messageId: number, index: number): string => `fco_${messageId}_${index}`,
  customCall: (messageId: number, index: number): string => `ctc_${messageId}_${index}`,
  customCallOutput: (messageId: number, index: number): string => `ctco_${messageId}_${index}`,
  compaction: (messageId: number, index: number): string => `cmp_${messageId}_${index}`,
};

export const responseId = (messageId: number): string => `resp_${messageId}`;

export const conversationId = (chatId: number): string => `conv_${chatId}`;

/** Characters of the longest ids that this service writes: `resp_2147483647`, `ctco_2147483647_999999`. */
export const LONGEST_WIRE_ID = 15;
export const LONGEST_ITEM_ID = 22;

/** The row that an id names; null for every text that this service does not write. */
export function readWireId(kind: 'resp' | 'conv', id: string): number | null {
  const [, digits] = new RegExp(`^${kind}_([1-9]\\d{0,9})$`).exec(id) ?? [];
  return toRowId(digits);
}

/** The message that an item belongs to; null for every text that is no id of an item. */
export function messageOfItem(id: string): number | null {
  const [, digits] = /^(?:msg|rs|fc|fco|ctc|ctco|cmp)_([1-9]\d{0,9})(?:_\d{1,6})?$/.exec(id) ?? [];
  return toRowId(digits);
}

/** Columns of ids are of 32 bits. */
const LARGEST_ROW_ID = 2_147_483_647;

function toRowId(digits: string | undefined): number | null {
  const id = Number(digits);
  return digits === undefined || id > LARGEST_ROW_ID ? null : id;
}
