import { serviceEvents } from '../../../test/support/service-features';
import { chatEvent } from '../../modules/chat/conversations/chat.events';
import { quotaExceeded } from '../../modules/usage/quota/usage.events';
import { userBanned } from '../../modules/user/account/user.events';
import { Feature } from '../features/feature.decorator';
import { Features } from '../features/features';
import { defineEvent } from './event-definition';
import { text } from './event-fields';
import { EventKinds } from './event-kinds';

describe('defineEvent', () => {
  it('creates events of its type, and knows which members are personal', () => {
    expect(chatEvent('chat.created', { id: 1, userId: 7, agentId: 2, title: 'Holiday plans' })).toEqual({
      type: 'chat.created',
      userId: 7,
      data: { chat_id: 1, user_id: 7, agent_id: 2 },
      content: { title: 'Holiday plans' },
    });
    expect(serviceEvents.find('chat.created')?.personal).toEqual([]);
    expect(userBanned({ id: 1, username: 'grace', userType: 'normal' }, 'spam', null).type).toBe('user.banned');
    expect(serviceEvents.find('user.banned')?.personal).toEqual(['username', 'reason']);
  });

  it('refuses a member that is marked neither as a fact nor as personal', () => {
    const fields = { phone: text('The number.') as never };
    expect(() => defineEvent('call.missed', { description: 'Missed.', fields, example: {} as never })).toThrow(
      'call.missed: mark the member phone with fact(…) or personal(…).',
    );
  });

  it('creates no event with a member that it does not define', () => {
    const data = { user_id: 7, quota: 'messages', limit: 1, used: 1, resets_at: '2026-02-01T00:00:00.000Z' } as const;
    const unknown = { ...data, phone: '0' };
    expect(() => quotaExceeded(unknown)).toThrow('quota.exceeded does not define the member phone.');
  });

  it('refuses a type that another module has defined', () => {
    const event = defineEvent('call.missed', { description: 'Missed.', fields: {}, example: {} });
    class PhoneModule {}
    Feature({ events: [event] })(PhoneModule);
    class FaxModule {}
    Feature({ events: [defineEvent('call.missed', { description: 'Again.', fields: {}, example: {} })] })(FaxModule);
    expect(new EventKinds(Features.of([PhoneModule])).find('call.missed')?.type).toBe('call.missed');
    expect(() => new EventKinds(Features.of([PhoneModule, FaxModule]))).toThrow(
      'FaxModule defines the event call.missed, which PhoneModule defines already. Rename it.',
    );
  });
});
