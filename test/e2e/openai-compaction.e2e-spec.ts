import type { ResponseResource } from '../../src/modules/openai/responses/wire/response-resource';
import { makeKey } from '../support/api-keys';
import { uniqueContent } from '../support/chat-client';
import { rounds, TRIGGER, useCompactions } from '../support/compactions';
import type { CallOptions } from '../support/http';
import { checkItem } from '../support/open-responses/check';
import { ResponsesClient, textOf } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';

interface Compacted {
  id: string;
  object: string;
  output: { type: string; id: string; role?: string; content?: { text: string }[]; encrypted_content?: string }[];
  usage: { input_tokens: number; output_tokens: number; total_tokens: number };
}

describe('compaction', () => {
  const app = useChatApp();
  const user = useClient(app);
  const client = useCompactions(app, user);

  function compact(body: object, options: CallOptions = {}, by: ResponsesClient = client) {
    return by.request<Compacted>('/responses/compact', { body: { model: client.model, ...body }, ...options });
  }

  describe('by POST /responses/compact', () => {
    it('returns a sealed summary, which replaces the conversation', async () => {
      const key = await client.summing();
      const before = await client.used();
      const { status, body } = await compact({ input: rounds(key), instructions: 'Speak like a sailor.' });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        object: 'response.compaction',
        output: [
          { role: 'system', content: [{ text: 'Be kind.' }] },
          { role: 'user', content: [{ text: `I want ${key}.` }] },
          { type: 'compaction' },
        ],
        usage: { input_tokens: 900, output_tokens: 100, total_tokens: 1000 },
      });
      body.output.forEach(checkItem);
      expect(JSON.stringify(body)).not.toContain('boat');
      const asked = (await client.promptOf(key, 0)).map(({ content }) => content).join('\n');
      for (const text of ['Speak like a sailor.', 'A long plan.', 'A storm.', '{"at":"sea"}', `I want ${key}.`]) {
        expect(asked).toContain(text);
      }
      const after = await client.used();
      expect(after).toEqual({ messages: before.messages, tokens: before.tokens + 1000 });
      const input = [...body.output, { role: 'user', content: `${key}: now?` }];
      expect(textOf(await client.create({ input }))).toBe('Go.');
      const told = await client.promptOf(key, 1);
      expect(told.at(-1)?.content).toContain('They want a boat.');
      expect(told.map((message) => Object.keys(message))).toEqual(told.map(() => ['role', 'content']));
      expect(told.at(-1)?.content).toContain(`I want ${key}.`);
      expect(JSON.stringify(told)).not.toContain('A long plan.');
      expect((await user.request<unknown[]>('/chat')).body).toHaveLength(1);
    });

    it('summarises a stored conversation', async () => {
      const key = uniqueContent('stored');
      await app.model.script({ key, times: 1, steps: [{ text: 'Rome is old.' }] });
      const first = await client.create({ input: key });
      await app.model.script({ key, steps: [{ text: 'About Rome.' }] });
      const { status, body } = await compact({ previous_response_id: first.id });
      expect([status, body.output.map(({ type }) => type)]).toEqual([200, ['message', 'compaction']]);
      expect((await client.promptOf(key, 1)).at(-1)?.content).toContain('Rome is old.');
      const items = await client.items(`/conversations/${first.conversation?.id}/items`);
      expect(items.data).toHaveLength(2);
    });

    it('is returned again by its key, and costs once', async () => {
      const key = await client.summing();
      const headers = { 'Idempotency-Key': key.replace(' ', '-') };
      const first = await compact({ input: `Sum ${key}` }, { headers });
      const { tokens } = await client.used();
      const second = await compact({ input: `Sum ${key}` }, { headers });
      expect([second.status, second.body.output]).toEqual([200, first.body.output]);
      expect((await client.used()).tokens).toBe(tokens);
      expect(await app.model.requests(key)).toHaveLength(1);
      expectOpenAiFailure(await compact({ input: 'Other' }, { headers }), 409, 'IDEMPOTENCY_CONFLICT', null);
    });

    it('is refused like a reply, before a model is called', async () => {
      expectOpenAiFailure(await compact({}), 400, 'missing_required_parameter', 'input');
      expectOpenAiFailure(await compact({ input: 'Hi', model: 'none' }), 404, 'model_not_found', 'model');
      for (const column of ['quotaMessagesOverride', 'quotaTokensOverride']) {
        const { token } = await app.newClient({ [column]: 0 });
        const poor = new ResponsesClient(app.origin, token, client.model);
        expectOpenAiFailure(await compact({ input: 'Hi' }, {}, poor), 429, 'insufficient_quota', null);
        const input = [{ role: 'user', content: 'Hi' }, TRIGGER];
        expectOpenAiFailure(await poor.post({ input, stream: true }), 429, 'insufficient_quota', null);
      }
      const { key } = await makeKey(app, user.token, { scopes: ['chat:write'] });
      expect((await compact({ input: 'Hi' }, { token: key })).status).toBe(403);
    });

    it('uses one of the slots of running replies', async () => {
      const key = uniqueContent('slow');
      await app.model.script({ key, steps: [{ hold: key }, { text: 'Short.' }] });
      const running = [1, 2].map((number) => compact({ input: `${key} ${number}` }));
      await app.model.waitFor('received', { key, count: 2 });
      expectOpenAiFailure(await compact({ input: key }), 429, 'TOO_MANY_CONCURRENT', null);
      await app.model.release(key);
      expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    });

    it.each([
      ['fails', { status: 400, body: '{"error":{"message":"no"}}' }],
      ['returns nothing', { steps: [] }],
    ])('is a failure when the model %s', async (_case, script) => {
      const key = uniqueContent('bad');
      await app.model.script({ key, ...script });
      expectOpenAiFailure(await compact({ input: key }), 502, 'PROVIDER_ERROR', null);
    });
  });

  describe('from others', () => {
    async function sealedBy(owner: ResponsesClient, key: string): Promise<Record<string, unknown>> {
      const { body } = await compact({ input: key }, {}, owner);
      return body.output.at(-1) as never;
    }

    it.each(['another user', 'nobody', 'nobody, at great length'])('by %s is skipped', async (whose) => {
      const key = await client.summing('The secret of somebody.');
      const stranger = new ResponsesClient(app.origin, (await app.newClient()).token, client.model);
      const sealed =
        whose === 'another user'
          ? await sealedBy(stranger, key)
          : { type: 'compaction', encrypted_content: whose === 'nobody' ? 'v1.AAAA' : `v1.${'A'.repeat(900_000)}` };
      const ask = uniqueContent('ask');
      const response: ResponseResource = await client.create({
        input: [{ role: 'user', content: 'First.' }, sealed, { role: 'user', content: ask }],
      });
      expect(response.status).toBe('completed');
      const told = JSON.stringify(await client.promptOf(ask, 0));
      expect(told).toContain('First.');
      expect(told).not.toContain('secret of somebody');
      const { data } = await client.items(`/responses/${response.id}/input_items`);
      expect(data.map(({ type }) => type)).toEqual(['message', 'message']);
    });

    it('leaves earlier turns unchanged when it cannot be opened', async () => {
      const ask = uniqueContent('ask');
      const input = [
        { role: 'user', content: 'First.' },
        { role: 'assistant', content: 'Second.' },
        { type: 'compaction', encrypted_content: 'no' },
        { role: 'user', content: ask },
      ];
      await client.create({ input });
      expect(JSON.stringify(await client.promptOf(ask, 0))).toContain('Second.');
    });

    it('is refused when it is too long', async () => {
      const input = [{ type: 'compaction', encrypted_content: 'x'.repeat(1_000_001) }];
      expectOpenAiFailure(await client.post({ input }), 400, 'string_above_max_length', 'input[0].encrypted_content');
    });
  });
});

describe('a model for summaries', () => {
  const app = useChatApp({ COMPACTION_MODEL: 'small' });
  const user = useClient(app);

  it('generates them', async () => {
    const client = new ResponsesClient(app.origin, user.token, 'General assistant');
    const key = uniqueContent('small');
    await client.create({ input: [{ role: 'user', content: key }, TRIGGER], store: false });
    await client.create({ input: key, store: false });
    const models = (await app.model.requests(key)).map(({ body }) => body.model);
    expect(models).toEqual(['small', 'scripted']);
  });
});
