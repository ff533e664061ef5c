import * as v from 'valibot';
import { described } from '../../../common/validation/schemas/described';
import { metadata } from '../metadata-schema';
import { inputItem } from '../responses/request/input-item-schema';

/** OpenAI accepts 20 items per request. */
const items = v.pipe(v.array(inputItem), v.maxLength(20));

const ITEMS = 'Messages, function calls and their results.';

/** The body of `POST /conversations`. */
export const newConversation = v.object({
  items: described(v.nullish(items, []), ITEMS),
  metadata: v.nullish(metadata, {}),
});

/** The body of `POST /conversations/{id}`. */
export const conversationUpdate = v.object({ metadata: v.nullish(metadata, {}) });

/** The body of `POST /conversations/{id}/items`. */
export const newItems = v.object({ items: described(v.pipe(items, v.minLength(1)), ITEMS) });

export type NewConversationBody = v.InferOutput<typeof newConversation>;
export type NewItemsBody = v.InferOutput<typeof newItems>;
export type ConversationUpdateBody = v.InferOutput<typeof conversationUpdate>;
