import type { DomainEvent } from '../../common/events/domain-events';
import { defineEvent } from '../../common/events/event-definition';
import { choice, fact, integer, optionalInstant } from '../../common/events/event-fields';
import { SHARE_MODES, type ShareEntity } from './share.entity';

const fields = {
  chat_id: fact(integer('The conversation.')),
  user_id: fact(integer('The user whose conversation it is.')),
  share_id: fact(integer('The link.')),
  mode: fact(choice(SHARE_MODES, '`snapshot`: the conversation as it stood; `live`: as it goes on.')),
  expires_at: fact(optionalInstant('When the link ends; null: not by itself.')),
};

const example = { chat_id: 12, user_id: 7, share_id: 3, mode: 'snapshot', expires_at: null } as const;

const shared = defineEvent('chat.shared', { description: 'A conversation can be read by a link.', fields, example });

const unshared = defineEvent('chat.unshared', {
  description: 'A link to a conversation was taken back, or ended with the conversation or its owner.',
  fields,
  example,
});

export const SHARE_EVENTS = [shared, unshared];

/** A link was created, or has ended. */
export function shareEvent(type: 'shared' | 'unshared', share: ShareEntity): DomainEvent {
  return (type === 'shared' ? shared : unshared)(share.userId, {
    chat_id: share.chatId,
    user_id: share.userId,
    share_id: share.id,
    mode: share.mode,
    expires_at: share.expiresAt?.toISOString() ?? null,
  });
}
