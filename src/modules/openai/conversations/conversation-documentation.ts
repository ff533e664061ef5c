import { LONGEST_ITEM_ID, LONGEST_WIRE_ID } from '../responses/wire/wire-ids';

/** Path parameters in the OpenAPI document. */
export const CONVERSATION_ID = {
  name: 'conversation_id',
  description: '`conv_` and the id of the conversation.',
  schema: { type: 'string' as const, maxLength: LONGEST_WIRE_ID },
};

export const ITEM_ID = {
  name: 'item_id',
  description: 'Id of the item, from lists and responses.',
  schema: { type: 'string' as const, maxLength: LONGEST_ITEM_ID },
};

const ITEMS = [{ role: 'user', content: 'I travel with a child.' }];

export const NEW_CONVERSATION = { conversation: { value: { metadata: { topic: 'travel' }, items: ITEMS } } };

export const UPDATE = { metadata: { value: { metadata: { topic: 'Lisbon' } } } };

export const NEW_ITEMS = { items: { value: { items: ITEMS } } };
