import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DomainEvent } from '../../../common/events/domain-events';
import { agentEvent } from '../../agent/agent.events';
import { chatEvent, feedbackEvent, messageCreatedEvent, replyEndedEvent } from '../../chat/chat.events';
import { quotaExceeded } from '../../usage/usage.events';
import * as users from '../../user/account/user.events';
import { webhookDisabled } from '../webhook.events';
import { bodySchema, EVENT_KINDS, EVENT_TYPES, exampleBody, isSubscribed, isSubscription } from './event-catalogue';

const MODULES = resolve(__dirname, '../..');
const now = new Date();
const user = { id: 7, username: 'grace', userType: 'normal' as const };
const member = { ...user, membershipType: 'monthly' as const, membershipExpiresAt: now };
const chat = { id: 1, userId: 7, agentId: 1, title: 'a' };
const message = { id: 1, chatId: 1, createdAt: now, content: 'a' };
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

/** One event of each kind, made by the module that publishes it. */
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
  chatEvent('chat.deleted', chat),
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
  { type: 'webhook.test', userId: 7, data: { webhook_id: 1 } },
  webhookDisabled({ id: 1, userId: 7, url: 'https://hooks.example.com/' }, 'gone', now),
];

describe('the catalogue of events', () => {
  it('lists what the modules name in their events, and no more', () => {
    const named = readdirSync(MODULES, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.events.ts'))
      .flatMap((path) => [...readFileSync(join(MODULES, path), 'utf8').matchAll(/'([a-z]+\.[a-z]+)'/g)])
      .map(([, type]) => type);
    expect([...new Set(named)].sort()).toEqual([...EVENT_TYPES].sort());
  });

  it('keeps the promised kinds', () => {
    expect(EVENT_TYPES).toHaveLength(23);
    expect([...new Set(PUBLISHED.map(({ type }) => type))].sort()).toEqual([...EVENT_TYPES].sort());
  });

  it.each(PUBLISHED)('describes exactly the data and the content of $type', ({ type, data, content = {} }) => {
    const kind = EVENT_KINDS[type];
    expect(Object.keys(kind?.fields ?? {}).sort()).toEqual(Object.keys(data).sort());
    expect(Object.keys(kind?.content ?? {}).sort()).toEqual(Object.keys(content).sort());
  });

  it.each(Object.entries(EVENT_KINDS))('has an example of %s that fits its schema', (type, kind) => {
    const members = { ...kind.fields, ...kind.content };
    expect(Object.keys(kind.example).sort()).toEqual(Object.keys(members).sort());
    for (const [name, { type: types, enum: choices }] of Object.entries(members)) {
      const value = kind.example[name];
      expect({ name, types: [types].flat() }).toEqual({ name, types: expect.arrayContaining([jsonType(value)]) });
      expect(choices ?? [value]).toContain(value);
    }
    expect(exampleBody(type, kind)).toMatchObject({ type, api_version: 'v1', data: kind.example });
    expect(bodySchema(type, kind)).toMatchObject({ title: type, properties: { type: { const: type } } });
  });

  it('knows what can be subscribed to', () => {
    expect(['*', 'message.*', 'webhook.*', 'chat.created'].every(isSubscription)).toBe(true);
    expect(
      ['', '**', '.*', 'mess*', 'message', 'message.*.x', 'toString', 'nothing.*', 7, null].some(isSubscription),
    ).toBe(false);
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
  ])('for %j and %s says %s', (patterns, type, expected) => expect(isSubscribed(patterns, type)).toBe(expected));
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
