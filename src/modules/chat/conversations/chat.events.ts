import type { DomainEvent } from '../../../common/events/domain-events';
import { defineEvent } from '../../../common/events/event-definition';
import { fact, instant, text, textList } from '../../../common/events/event-fields';
import type { ChatEntity } from './chat.entity';
import { chatFields, exampleIds, idsOf, MESSAGE_EVENTS, messageFields, type Owner } from './message.events';

const titleContent = { title: text('Title of the conversation; only with `include_content`.') };
const exampleChat = { ...exampleIds, title: 'Holiday plans' };
const conversation = { fields: chatFields, content: titleContent, example: exampleChat };

const CHAT_EVENTS = {
  'chat.created': defineEvent('chat.created', { ...conversation, description: 'A conversation was created.' }),
  'chat.updated': defineEvent('chat.updated', {
    ...conversation,
    description: 'Title, tags, pin, archive state or current line of a conversation changed.',
    fields: { ...chatFields, changed: fact(textList('Names of the changed fields.')) },
    example: { ...exampleChat, changed: ['title'] },
  }),
  'chat.deleted': defineEvent('chat.deleted', {
    ...conversation,
    description: 'A conversation was moved to the trash.',
  }),
  'chat.restored': defineEvent('chat.restored', {
    ...conversation,
    description: 'A conversation was restored from the trash.',
  }),
};

const chatRead = defineEvent('chat.read', {
  description: 'A user read a conversation up to a message, on one device.',
  fields: { ...messageFields, read_at: fact(instant('When it happened.')) },
  example: { ...exampleIds, message_id: 102, read_at: '2026-01-31T09:31:00.000Z' },
});

/** In catalogue order. */
export const ALL_CHAT_EVENTS = [...Object.values(CHAT_EVENTS), chatRead, ...MESSAGE_EVENTS];

type ChatFacts = Owner & Pick<ChatEntity, 'id' | 'title'>;

/** A conversation was created, changed, deleted or restored. */
export function chatEvent(type: 'chat.updated', chat: ChatFacts, changes: { changed: string[] }): DomainEvent;
export function chatEvent(type: Exclude<keyof typeof CHAT_EVENTS, 'chat.updated'>, chat: ChatFacts): DomainEvent;
export function chatEvent(
  type: keyof typeof CHAT_EVENTS,
  chat: ChatFacts,
  { changed = [] as string[] } = {},
): DomainEvent {
  const data = idsOf(chat.id, chat);
  const content = { title: chat.title };
  return type === 'chat.updated'
    ? CHAT_EVENTS[type](chat.userId, { ...data, changed }, content)
    : CHAT_EVENTS[type](chat.userId, data, content);
}

/** The owner has read the conversation up to this message. */
export function chatReadEvent(chat: Owner & Pick<ChatEntity, 'id'>, messageId: number, at: Date): DomainEvent {
  return chatRead(chat.userId, { ...idsOf(chat.id, chat), message_id: messageId, read_at: at.toISOString() });
}
