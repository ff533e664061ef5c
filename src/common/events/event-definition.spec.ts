import { chatEvent } from '../../modules/chat/conversations/chat.events';
import { quotaExceeded } from '../../modules/usage/quota/usage.events';
import { userBanned } from '../../modules/user/account/user.events';
import { defineEvent, eventKind } from './event-definition';
import { text } from './event-fields';

/** Test files share the loaded modules, so this defines no type that would stay. */
describe('defineEvent', () => {
  it('makes events of its type, and knows which members are personal', () => {
    expect(chatEvent('chat.created', { id: 1, userId: 7, agentId: 2, title: 'Holiday plans' })).toEqual({
      type: 'chat.created',
      userId: 7,
      data: { chat_id: 1, user_id: 7, agent_id: 2 },
      content: { title: 'Holiday plans' },
    });
    expect(eventKind('chat.created')?.personal).toEqual([]);
    expect(userBanned({ id: 1, username: 'grace', userType: 'normal' }, 'spam', null).type).toBe('user.banned');
    expect(eventKind('user.banned')?.personal).toEqual(['username', 'reason']);
  });

  it('refuses a member that is marked neither as a fact nor as personal', () => {
    const fields = { phone: text('The number.') as never };
    expect(() => defineEvent('call.missed', { description: 'Missed.', fields, example: {} as never })).toThrow(
      'call.missed: mark the member phone with fact(…) or personal(…).',
    );
    expect(eventKind('call.missed')).toBeUndefined();
  });

  it('makes no event with a member that it does not define', () => {
    const data = { user_id: 7, quota: 'messages', limit: 1, used: 1, resets_at: '2026-02-01T00:00:00.000Z' } as const;
    const unknown = { ...data, phone: '0' };
    expect(() => quotaExceeded(unknown)).toThrow('quota.exceeded does not define the member phone.');
  });

  it('refuses a type that is defined already', () => {
    expect(() => defineEvent('chat.created', { description: 'Again.', fields: {}, example: {} })).toThrow(
      'chat.created is defined twice.',
    );
  });
});
