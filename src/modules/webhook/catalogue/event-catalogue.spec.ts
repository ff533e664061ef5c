import { serviceEvents } from '../../../../test/support/service-features';
import type { DomainEvent } from '../../../common/events/domain-events';
import { isSubscribed, isSubscription } from '../../../common/events/event-patterns';
import { agentEvent } from '../../agent/catalogue/agent.events';
import { chatEvent } from '../../chat/conversations/chat.events';
import { feedbackEvent, messageCreatedEvent, replyEndedEvent } from '../../chat/conversations/message.events';
import { quotaExceeded } from '../../usage/quota/usage.events';
import * as users from '../../user/account/user.events';
import { webhookDisabled, webhookTest } from '../endpoint/webhook.events';
import { bodySchema, exampleBody } from './event-catalogue';

const TYPES = serviceEvents.all.map(({ type }) => type);
const isKnown = (pattern: unknown): boolean => isSubscription(pattern, TYPES);
const now = new Date();
const user = { id: 7, username: 'grace', userType: 'normal' as const };
const member = { ...user, membershipType: 'monthly' as const, membershipExpiresAt: now };
const chat = { id: 1, userId: 7, agentId: 1, title: 'a' };
const message = { id: 1, chatId: 1, createdAt: now, content: 'a', parts: null };
const reply = {
  ...message,
  reasoning: null,
  parentId: 1,
  finishReason: null,
  model: null,
  tokenUsage: null,
  failure: null,
  completedAt: now,
};

/** Changing a line breaks clients. External modules add their own types. */
const PROMISED = [
  'user.registered',
  'user.updated',
  'user.deleted',
  'user.restored',
  'user.banned',
  'user.unbanned',
  'membership.upgraded',
  'membership.expired',
  'chat.created',
  'chat.updated',
  'chat.deleted',
  'chat.restored',
  'message.created',
  'message.completed',
  'message.stopped',
  'message.failed',
  'message.feedback',
  'agent.created',
  'agent.updated',
  'agent.deleted',
  'quota.exceeded',
  'webhook.test',
  'webhook.disabled',
];

/** One event of each type, created by the module that publishes it. */
const PUBLISHED: DomainEvent[] = [
  users.userRegistered(user),
  users.userUpdated(user, ['bio']),
  users.userDeleted(user),
  users.userRestored(user),
  users.userBanned(user, null, null),
  users.userUnbanned(user),
  users.membershipUpgraded(user, 'monthly', now),
  users.membershipExpired(member),
  chatEvent('chat.created', chat),
  chatEvent('chat.updated', chat, { changed: ['title'] }),
  chatEvent('chat.deleted', chat, { reason: 'owner' }),
  chatEvent('chat.restored', chat),
  messageCreatedEvent(chat, { ...message, role: 'user', status: 'completed' }),
  replyEndedEvent(chat, { ...reply, status: 'completed' }),
  replyEndedEvent(chat, { ...reply, status: 'stopped' }),
  replyEndedEvent(chat, { ...reply, status: 'interrupted' }),
  feedbackEvent(chat, { id: 1, chatId: 1 }, 'like', null),
  agentEvent('agent.created', { id: 1, name: 'a', version: 1 }),
  agentEvent('agent.updated', { id: 1, name: 'a', version: 1 }),
  agentEvent('agent.deleted', { id: 1, name: 'a', version: 1 }),
  quotaExceeded({ user_id: 7, quota: 'messages', limit: 1, used: 1, resets_at: now.toISOString() }),
  webhookTest({ id: 1, userId: 7 }),
  webhookDisabled({ id: 1, userId: 7, url: 'https://hooks.example.com/' }, 'gone', now),
];

describe('the event catalogue', () => {
  it('has the documented types, in the documented order', () => {
    expect(TYPES.filter((type) => PROMISED.includes(type))).toEqual(PROMISED);
    expect(new Set(PUBLISHED.map(({ type }) => type))).toEqual(new Set(PROMISED));
  });

  it.each(PUBLISHED)('describes exactly the data and the content of $type', ({ type, data, content = {} }) => {
    const kind = serviceEvents.find(type);
    expect(Object.keys(kind?.fields ?? {})).toEqual(Object.keys(data));
    expect(Object.keys(kind?.content ?? {})).toEqual(Object.keys(content));
  });

  it.each(serviceEvents.all)('has an example of $type that fits its schema', (kind) => {
    const members = { ...kind.fields, ...kind.content };
    expect(Object.keys(kind.example).sort()).toEqual(Object.keys(members).sort());
    for (const [name, { type: types, enum: choices }] of Object.entries(members)) {
      const value = kind.example[name];
      expect({ name, types: [types].flat() }).toEqual({ name, types: expect.arrayContaining([jsonType(value)]) });
      expect(choices ?? [value]).toContain(value);
    }
    expect(exampleBody(kind)).toMatchObject({ type: kind.type, api_version: 'v1', data: kind.example });
    expect(bodySchema(kind)).toMatchObject({ title: kind.type, properties: { type: { const: kind.type } } });
  });

  it('knows the types for subscriptions', () => {
    expect(['*', 'message.*', 'webhook.*', 'chat.created'].every(isKnown)).toBe(true);
    expect(['', '**', '.*', 'mess*', 'message', 'message.*.x', 'toString', 'nothing.*', 7, null].some(isKnown)).toBe(
      false,
    );
  });

  it.each([
    [['*'], 'chat.created', true],
    [['*'], 'report.finished', true],
    [['chat.*'], 'chat.created', true],
    [['chat.*'], 'chatter.created', false],
    [['chat.created'], 'chat.created', true],
    [['chat.created'], 'chat.createdx', false],
    [['message.*', 'agent.updated'], 'agent.updated', true],
    [[], 'chat.created', false],
  ])('isSubscribed(%j, %s) is %s', (patterns, type, expected) => expect(isSubscribed(patterns, type)).toBe(expected));
});

function jsonType(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'array';
  }
  return Number.isInteger(value) ? 'integer' : typeof value;
}
