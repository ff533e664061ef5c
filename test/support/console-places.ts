import { createUser, type TestAccount } from './accounts';
import { ChatClient } from './chat-client';
import type { ConsoleApp } from './console-app';
import { KnowledgeClient } from './knowledge';

/** All pages of a signed-in user; a name in braces is replaced by the id from `furnish`. */
export const PAGES = [
  ...['', '/{chat}', '/trash'].map((name) => `chat${name}`),
  ...['', '/{collection}', '/{collection}?tab=search'].map((name) => `knowledge${name}`),
  ...[
    'profile',
    'settings',
    'password',
    'sessions',
    'approvals',
    'connections',
    'usage',
    'keys',
    'webhooks',
    'webhooks/{webhook}',
    'data',
  ].map((name) => `account/${name}`),
  ...[
    'overview',
    'usage',
    'costs',
    'failures',
    'feedback',
    'budgets',
    'prices',
    'users',
    'users/{user}',
    'keys',
    'sessions',
    'chats',
    'chats/{chat}',
  ].map((name) => `admin/${name}`),
  ...['', '/new', '/{agent}', '/{agent}?tab=versions', '/{agent}?tab=statistics'].map((name) => `admin/agents${name}`),
  ...[
    'knowledge',
    'tools',
    'servers',
    'guards',
    'servers/new',
    'providers',
    'models',
    'plans',
    'settings',
    'webhooks',
    'webhooks/{webhook}',
    'audit',
    'health',
    'instances',
  ].map((name) => `admin/${name}`),
  'inbox',
  'device',
  'shared/{share}',
  'nowhere',
];

/** Pages about global settings, which tests open in their own instance. */
export const COMPANY_PAGES = ['groups', 'groups/{group}', 'sign-in', 'sign-in/new', 'sign-in/{provider}'].map(
  (name) => `admin/${name}`,
);

/** The pages of a visitor who is not signed in. */
export const ENTRANCE = ['sign-in', 'register', 'reset-password', 'setup', 'shared/for-others'];

export type Places = Record<string, number | string>;

/** Creates one of everything that pages show for an account. `words` are used in every free text. */
export async function furnish(app: ConsoleApp, account: TestAccount, words: string): Promise<Places> {
  const client = new ChatClient(app.url, account.token);
  const { id: chat, agent_id: agent } = await client.createChat({ title: `${words} ${'long '.repeat(20)}` });
  const { body: messages } = await client.send(chat, `${words} A question with a_very_long_word_`.padEnd(300, 'x'));
  await client.request(`/chat/${chat}/messages/${messages[1].id}/feedback`, {
    method: 'PUT',
    body: { rating: 'dislike', comment: words },
  });
  await client.request(`/chat/${chat}`, { method: 'PUT', body: { tags: [words.slice(0, 50)] } });
  const gone = await client.createChat({ title: words });
  await client.request(`/chat/${gone.id}`, { method: 'DELETE' });
  await client.request('/user/api-keys', { body: { name: words, scopes: ['chat:read'] } });
  const webhook = await client.request<{ data: { id: number } }>('/webhooks', {
    body: { url: 'http://127.0.0.1:9/a-place', events: ['*'], description: words },
  });
  await client.request(`/webhooks/${webhook.body.data.id}/test`, { body: {} });
  const share = await client.request<{ token: string }>(`/chat/${chat}/shares`, { body: {} });
  const knowledge = new KnowledgeClient(app, account);
  const { id: collection } = await knowledge.createStore({ name: words, description: words });
  await knowledge.sendFile({ name: `${words}.txt`, content: words }, `/knowledge/${collection}/files`);
  const { user } = await createUser(app);
  return { collection, share: share.body.token, chat, user: user.id, agent, webhook: webhook.body.data.id };
}

/** Creates a group with an agent, and a sign-in provider, in the test's own installation. */
export async function furnishCompany(app: ConsoleApp, { token }: TestAccount, words: string): Promise<Places> {
  const client = new ChatClient(app.url, token);
  const make = async (path: string, body: object): Promise<number> =>
    (await client.request<{ data: { id: number } }>(path, { body })).body.data.id;
  const { user } = await createUser(app);
  const group = await make('/admin/groups', { name: words, description: words });
  await client.request(`/admin/groups/${group}/members`, { body: { user_id: user.id } });
  await make('/agents', { name: words, access_level: 'groups', group_ids: [group] });
  const provider = await make('/admin/identity_providers', {
    slug: 'company',
    name: words,
    issuer: 'https://login.example.com',
    client_id: 'chat',
    client_secret: 'a-secret',
    mappings: [{ value: words, user_type: 'admin', group }],
  });
  return { group, provider };
}

/** The address of a page. */
export function placeOf(page: string, places: Places): string {
  return page.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => String(places[name]));
}
