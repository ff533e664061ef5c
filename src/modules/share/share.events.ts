import type { DomainEvent } from '../../common/events/domain-events';
import { defineEvent } from '../../common/events/event-definition';
import { choice, fact, integer, optionalInstant } from '../../common/events/event-fields';
import { SHARE_MODES, type ShareEntity } from './share.entity';

const fields = {
  chat_id: fact(integer('Id of the conversation.')),
  user_id: fact(integer('Id of the owner of the conversation.')),
  share_id: fact(integer('Id of the link.')),
  mode: fact(choice(SHARE_MODES, '`snapshot`: the conversation when it was shared; `live`: also later messages.')),
  expires_at: fact(optionalInstant('When the link expires; null if never.')),
};

const example = { chat_id: 12, user_id: 7, share_id: 3, mode: 'snapshot', expires_at: null } as const;

const shared = defineEvent('chat.shared', { description: 'A conversation was shared with a link.', fields, example });

const unshared = defineEvent('chat.unshared', {
  description: 'A link to a conversation was revoked, or ended with the conversation or its owner.',
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
