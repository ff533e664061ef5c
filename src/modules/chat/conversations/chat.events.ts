import type { DomainEvent } from '../../../common/events/domain-events';
import { defineEvent } from '../../../common/events/event-definition';
import { choice, fact, instant, text, textList } from '../../../common/events/event-fields';
import type { ChatEntity } from './chat.entity';
import { chatFields, exampleIds, idsOf, MESSAGE_EVENTS, messageFields, type Owner } from './message.events';

const titleContent = { title: text('Title of the conversation; only with `include_content`.') };
const exampleChat = { ...exampleIds, title: 'Holiday plans' };
const conversation = { fields: chatFields, content: titleContent, example: exampleChat };

const DELETION_REASONS = ['retention', 'owner', 'administrator'] as const;

type DeletionReason = (typeof DELETION_REASONS)[number];

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
    description: 'A conversation was moved to the trash, or a retention policy deleted it.',
    fields: { ...chatFields, reason: fact(choice(DELETION_REASONS, 'Who or what deleted it.')) },
    example: { ...exampleChat, reason: 'owner' },
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
export function chatEvent(type: 'chat.deleted', chat: ChatFacts, facts: { reason: DeletionReason }): DomainEvent;
export function chatEvent(type: 'chat.created' | 'chat.restored', chat: ChatFacts): DomainEvent;
export function chatEvent(
  type: keyof typeof CHAT_EVENTS,
  chat: ChatFacts,
  { changed = [], reason = 'owner' }: { changed?: string[]; reason?: DeletionReason } = {},
): DomainEvent {
  const data = idsOf(chat.id, chat);
  const content = { title: chat.title };
  switch (type) {
    case 'chat.updated':
      return CHAT_EVENTS[type](chat.userId, { ...data, changed }, content);
    case 'chat.deleted':
      return CHAT_EVENTS[type](chat.userId, { ...data, reason }, content);
    default:
      return CHAT_EVENTS[type](chat.userId, data, content);
  }
}

/** The owner has read the conversation up to this message. */
export function chatReadEvent(chat: Owner & Pick<ChatEntity, 'id'>, messageId: number, at: Date): DomainEvent {
  return chatRead(chat.userId, { ...idsOf(chat.id, chat), message_id: messageId, read_at: at.toISOString() });
}
