import { Database } from '../../src/database/database';
import { UsageAccountEntity } from '../../src/modules/usage/quota/usage-account.entity';
import { UsageEntryEntity } from '../../src/modules/usage/usage-entry.entity';
import { createUser } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { call } from '../support/http';
import type { ModelScript } from '../support/model-server/model-server';
import { useChatApp } from '../support/use-app';

const USAGE = {
  prompt_tokens: 40,
  completion_tokens: 9,
  total_tokens: 49,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

const REPLY = [{ reasoning: 'So.' }, { text: 'Hel' }, { text: 'lo, 世界 ' }, { text: '🌍' }];

/** The outcomes of an exchange; each is scripted for the only request of its message. */
const COURSES: [string, Partial<ModelScript>][] = [
  ['a reply whose tokens the provider counts', { steps: REPLY, usage: USAGE }],
  ['a reply whose tokens are counted here', { steps: REPLY, usage: null }],
  ['a reply that is cut off at its length', { steps: REPLY, usage: USAGE, finish: 'length' }],
  ['a reply that the provider’s filter ends', { steps: REPLY, usage: USAGE, finish: 'content_filter' }],
  ['a reply that breaks off', { steps: [...REPLY, { cut: true }], unfinished: true }],
  ['a model that refuses the text', { status: 400, body: '{"error":{"message":"no","code":"content_filter"}}' }],
  ['a model that fails', { status: 501, body: '{"error":{"message":"not today"}}' }],
];

describe('the ledger', () => {
  const app = useChatApp();

  interface Asker {
    token: string;
    userId: number;
  }

  const post = (path: string, { token }: Asker, body: object, headers: Record<string, string> = {}) =>
    call<{ id: number }>(`${app.origin}${path}`, { token, body, headers });

  async function inChat(asker: Asker, content: string, query: string, accept = '*/*'): Promise<void> {
    const { body } = await post('/api/v1/chat', asker, {});
    await post(`/api/v1/chat/message${query}`, asker, { chat_id: body.id, content }, { accept });
  }

  /** The ways to send the same message to the same agent. */
  const dialects: [string, (asker: Asker, content: string, model: string) => Promise<unknown>][] = [
    ['a whole reply', (asker, content) => inChat(asker, content, '')],
    ['plain text', (asker, content) => inChat(asker, content, '?stream=true')],
    ['server-sent events', (asker, content) => inChat(asker, content, '', 'text/event-stream')],
    ['UI messages', (asker, content) => inChat(asker, content, '?stream=true&stream_format=ui_message')],
    ...[false, true].flatMap((stream): typeof dialects => [
      [
        `chat completions, stream ${stream}`,
        (asker, content, model) =>
          post('/openai/v1/chat/completions', asker, { model, stream, messages: [{ role: 'user', content }] }),
      ],
      [
        `responses, stream ${stream}`,
        (asker, content, model) => post('/openai/v1/responses', asker, { model, stream, input: content }),
      ],
      [
        `responses that are not stored, stream ${stream}`,
        (asker, content, model) => post('/openai/v1/responses', asker, { model, stream, store: false, input: content }),
      ],
    ]),
  ];

  /** The ledger rows of a user, without ids and times. */
  async function ledgerOf({ userId }: Asker): Promise<object> {
    const database = app.app.get(Database);
    const entries = await database
      .repository(UsageEntryEntity)
      .find({ where: { userId }, order: { messageId: 'ASC' } });
    const account = await database.repository(UsageAccountEntity).findOneByOrFail({ userId });
    return {
      entries: entries.map(
        ({ role, agentId, model, promptTokens, completionTokens, tokens, status, firstTokenMs }) => ({
          role,
          agentId,
          model,
          promptTokens,
          completionTokens,
          tokens,
          status,
          hasFirstToken: firstTokenMs !== null,
        }),
      ),
      account: [account.totalMessages, account.totalTokens, account.dayMessages, account.dayTokens],
    };
  }

  it.each(COURSES)('has the same rows for %s, in any dialect', async (_course, script) => {
    const agents = await call<{ id: number; name: string; is_default: boolean }[]>(
      `${app.origin}/api/v1/chat/agents/active`,
      { token: (await createUser(app)).token },
    );
    const model = agents.body.find((agent) => agent.is_default)?.name ?? '';
    const content = uniqueContent('same');
    await app.model.script({ key: content, ...script });
    const ledgers: [string, object][] = [];
    for (const [dialect, ask] of dialects) {
      const { user, token } = await createUser(app);
      const asker = { token, userId: user.id };
      await ask(asker, content, model);
      ledgers.push([dialect, await ledgerOf(asker)]);
    }
    const [, expected] = ledgers[0]!;
    expect((expected as { entries: object[] }).entries).toHaveLength(2);
    expect(ledgers).toEqual(ledgers.map(([dialect]) => [dialect, expected]));
  });
});
