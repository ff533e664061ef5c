import { uniqueContent } from '../support/chat-client';
import { management, rounds, TRIGGER, useCompactions } from '../support/compactions';
import { lastResponse, textOf } from '../support/open-responses/responses-client';
import { useChatApp, useClient } from '../support/use-app';

describe('compaction in a stream', () => {
  const app = useChatApp();
  const user = useClient(app);
  const client = useCompactions(app, user);

  describe('by the item compaction_trigger', () => {
    it.each([false, true])('is the only item in the stream, with store: %s', async (store) => {
      const key = await client.summing();
      const before = await client.used();
      const events = await client.stream({
        input: [...rounds(key), TRIGGER],
        store,
        tools: [{ type: 'function', name: 'look' }],
      });
      expect(events.map(({ type }) => type)).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.output_item.done',
        'response.completed',
      ]);
      const response = lastResponse(events);
      expect(response).toMatchObject({ output: [{ type: 'compaction' }], usage: { total_tokens: 1000 } });
      expect(await client.used()).toEqual({ messages: before.messages, tokens: before.tokens + 1000 });
      const [request] = await app.model.requests(key);
      expect(request?.body).not.toHaveProperty('tools');
      if (store) {
        expect(await client.join(response.id)).toEqual(events);
        expect(await client.get(response.id)).toEqual(response);
        const next = await client.create({ input: `${key}: and?`, previous_response_id: response.id });
        expect(textOf(next)).toBe('Go.');
        const told = JSON.stringify(await client.promptOf(key, 1));
        expect([told.includes('They want a boat.'), told.includes('A long plan.')]).toEqual([true, false]);
        const { data } = await client.items(`/conversations/${next.conversation?.id}/items?order=asc&limit=100`);
        expect(data.filter(({ type }) => type === 'compaction')).toEqual(response.output);
      }
    });

    it('shortens a stored conversation without another message', async () => {
      const key = uniqueContent('talk');
      await app.model.script({ key, times: 1, steps: [{ text: 'A long story.' }] });
      const first = await client.create({ input: key });
      await app.model.script({ key, steps: [{ text: 'In short.' }] });
      const second = await client.create({ input: [TRIGGER], previous_response_id: first.id });
      expect(second.output).toEqual([expect.objectContaining({ type: 'compaction' })]);
      await client.create({ input: 'And now?', previous_response_id: second.id });
      const requests = await app.model.requests();
      const told = JSON.stringify(requests.at(-1)?.body.messages);
      expect([told.includes('In short.'), told.includes('A long story.'), told.includes(key)]).toEqual([
        true,
        false,
        true,
      ]);
    });

    it('counts its cost in the ledger, but no message', async () => {
      const key = await client.summing();
      const totals = async () =>
        (await user.request<{ total_messages: number; total_tokens: number }>('/user/total-stats')).body;
      const before = await totals();
      await client.create({ input: [{ role: 'user', content: key }, TRIGGER], store: false });
      const after = await totals();
      expect(after).toMatchObject({ total_messages: before.total_messages, total_tokens: before.total_tokens + 1000 });
    });
  });

  describe('by context_management', () => {
    it('precedes the answer if the prompt is long enough', async () => {
      const key = await client.summing();
      const body = {
        input: [...rounds(key), { role: 'user', content: `${key}: now?` }],
        tools: [{ type: 'function', name: 'look' }],
      };
      const before = await client.used();
      const events = await client.stream({ ...body, context_management: management(20) });
      const response = lastResponse(events);
      expect(response.output.map(({ type }) => type)).toEqual(['compaction', 'message']);
      expect(textOf(response)).toBe('Go.');
      expect(response.usage).toMatchObject({ input_tokens: 910, output_tokens: 101 });
      expect(await client.used()).toEqual({ messages: before.messages + 1, tokens: before.tokens + 1011 });
      expect(await client.join(response.id)).toEqual(events);
      expect(await client.join(response.id, 3)).toEqual(events.slice(4));
      expect(await client.get(response.id)).toEqual(response);
      const told = await client.promptOf(key, 1);
      expect(told.at(-1)?.content).toMatch(/now\?[^]*They want a boat\./);
      expect(JSON.stringify(told)).not.toContain('A long plan.');
      await client.create({ input: `${key} more`, previous_response_id: response.id });
      const later = JSON.stringify(await client.promptOf(key, 2));
      expect([later.includes('They want a boat.'), later.includes('A storm.'), later.includes('Go.')]).toEqual([
        true,
        false,
        true,
      ]);
      const { body: messages } = await user.request<{ content: string; parts: object[] | null }[]>(
        `/chat/${response.conversation?.id.slice(5)}/messages`,
      );
      expect(JSON.stringify(messages)).not.toContain('encrypted_content');
      const short = await client.create({ ...body, context_management: management(100_000) });
      expect(short.output.map(({ type }) => type)).toEqual(['message']);
    });

    it('is skipped when it fails', async () => {
      const key = uniqueContent('no summary');
      await app.model.script({ key, times: 1, steps: [] });
      await app.model.script({ key, steps: [{ text: 'All the same.' }] });
      const response = await client.create({ input: key, context_management: management(1) });
      expect(response.output.map(({ type }) => type)).toEqual(['message']);
    });
  });
});
