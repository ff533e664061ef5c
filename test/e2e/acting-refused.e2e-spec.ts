import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { TurnAppender } from '../../src/modules/chat/sending/turn-appender';
import { UsageMeter } from '../../src/modules/generation/ending/cost-meter';
import { ToolRegistry } from '../../src/modules/tool/registry/tool-registry';
import { useActing } from '../support/acting';
import { makeKey } from '../support/api-keys';
import { makeBudget } from '../support/budgets';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { expectFailure } from '../support/http';
import { ResponsesClient } from '../support/open-responses/responses-client';

describe('a decision', () => {
  const { app, admin, client, tools, chatWith, calling, saying, actionsOf, decide, waiting } = useActing();

  const last = async (chatId: number) => (await client.read(chatId)).messages.at(-1) as MessageDto;

  it.each(['quota', 'budget'])('is never refused for a %s, though the model is not called again', async (what) => {
    await admin.post('/admin/prices', { model: 'scripted', input: '1', output: '2' });
    const { chatId, action, key, what: booked } = await waiting();
    const { user_id: userId } = await client.read(chatId);
    const undo =
      what === 'quota' ? await withPlan({ tokens_per_day: 1 }) : await withBudget({ scope: 'user', scope_id: userId });
    const body = { decision: 'approve', arguments_hash: action.arguments_hash };
    const answer = await decide(chatId, action.id, body);
    expect(answer.status).toBe(200);
    expect(tools.booked.filter((one) => one === booked)).toHaveLength(1);
    const code = what === 'quota' ? 'QUOTA_EXCEEDED' : 'BUDGET_EXCEEDED';
    expect(answer.body[1]).toMatchObject({ status: 'failed', finish_reason: 'error', error: { code } });
    expect(answer.body[1].error?.message).not.toMatch(/[{}]|undefined/);
    expect(answer.body[1].parts).toContainEqual(
      expect.objectContaining({ type: 'tool_result', content: `Booked ${booked}.` }),
    );
    expect(await last(chatId)).toEqual(answer.body[1]);
    expect((await decide(chatId, action.id, body)).body).toEqual(answer.body);
    expect(await app.model.requests(key)).toHaveLength(1);
    await undo();
  });

  it('continues with the limit that a key has by then', async () => {
    const wanted = { scopes: ['chat:read', 'chat:write'], tokens_per_day: 1_000_000 };
    const { id, key: text } = await makeKey(app, client.token, wanted);
    const chatId = await chatWith([{ name: 'book' }]);
    const key = uniqueContent();
    await calling(key, ['book', { what: key }]);
    await saying(key, 'Done.');
    await new ChatClient(app.url, text).send(chatId, key);
    const [action] = await actionsOf(chatId);
    await client.request(`/user/api-keys/${id}`, { method: 'PUT', body: { tokens_per_day: 1 } });
    const answer = await decide(chatId, action?.id ?? 0, {
      decision: 'approve',
      arguments_hash: action?.arguments_hash,
    });
    expect(answer.body[1]).toMatchObject({ status: 'failed', error: { code: 'QUOTA_EXCEEDED' } });
    expect(await app.model.requests(key)).toHaveLength(1);
  });

  async function withPlan(change: object): Promise<() => Promise<unknown>> {
    const plans = await admin.items<{ membership_type: string }>('/admin/plans');
    const before = plans.find(({ membership_type }) => membership_type === 'free');
    await admin.put('/admin/plans/free', { ...before, ...change });
    return () => admin.put('/admin/plans/free', { ...before });
  }

  async function withBudget(scope: object): Promise<() => Promise<unknown>> {
    const { id } = await makeBudget(admin, { ...scope, limit: '0.0000001' });
    return () => admin.delete(`/admin/budgets/${id}`);
  }

  it('is possible even if a client adds turns while the reply starts to wait', async () => {
    const { chatId, action } = await waiting();
    jest.spyOn(app.app.get(TurnAppender), 'declineWaiting').mockResolvedValueOnce();
    const body = { items: [{ role: 'user', content: 'Hello.' }] };
    const program = new ResponsesClient(app.origin, client.token, '');
    expect((await program.request(`/conversations/conv_${chatId}/items`, { body })).status).toBe(409);
    const decided = await decide(chatId, action.id, { decision: 'deny' });
    expect(decided.body[1].status).toBe('completed');
  });

  it('continues beyond the concurrency limit of its user', async () => {
    const { chatId, action, what } = await waiting();
    const busy = uniqueContent('busy');
    await app.model.script({ key: busy, steps: [{ text: 'Hello ' }, { hold: busy }] });
    const streams = await Promise.all([1, 2].map(async () => client.stream((await client.createChat()).id, busy)));
    expectFailure(await client.send((await client.createChat()).id, 'one more'), 429, 'TOO_MANY_CONCURRENT');
    const answer = await decide(chatId, action.id, { decision: 'approve', arguments_hash: action.arguments_hash });
    expect(answer.body[1].status).toBe('completed');
    expect(tools.booked).toContain(what);
    await app.model.release(busy);
    await Promise.all(streams.map((stream) => stream.rest()));
  });

  it('may have a key, which applies to it only', async () => {
    const { chatId, action } = await waiting();
    const path = `/chat/${chatId}/actions/${action.id}`;
    const headers = { 'idempotency-key': uniqueContent().replace(/\W/g, '-').slice(-60) };
    const body = { decision: 'approve', arguments_hash: action.arguments_hash };
    const wrong = { ...body, arguments_hash: 'a'.repeat(64) };
    expectFailure(await client.request(path, { body: wrong, headers }), 409, 'ARGUMENTS_CHANGED');
    const [first, second] = await Promise.all([1, 2].map(() => client.request(path, { body, headers })));
    expect(first?.status).toBe(200);
    expect(second?.body).toEqual(first?.body);
    expect((await client.request(path, { body, headers })).body).toEqual(first?.body);
    const other = { decision: 'deny' };
    expectFailure(await client.request(path, { body: other, headers }), 409, 'IDEMPOTENCY_CONFLICT');
    expectFailure(await client.request(path, { body: other }), 409, 'ACTION_ALREADY_DECIDED');
    const faulty = { body, headers: { 'idempotency-key': 'ä' } };
    expectFailure(await client.request(path, faulty), 400, 'VALIDATION_ERROR');
  });

  it('of an approver is repeated by its key too', async () => {
    const { chatId, action } = await waiting({ approver: 'admin' });
    const approver = new ChatClient(app.url, admin.account.token);
    const headers = { 'idempotency-key': uniqueContent().replace(/\W/g, '-').slice(-60) };
    const path = `/chat/${chatId}/actions/${action.id}`;
    const body = { decision: 'deny', reason: 'No.' };
    const first = await approver.request(path, { body, headers });
    expect(first.body).toEqual({ id: action.id, state: 'decided' });
    expect((await approver.request(path, { body, headers })).body).toEqual(first.body);
    await client.waitForEnd(chatId);
  });

  it('streams only new content, each time it is repeated', async () => {
    const chatId = await chatWith([{ name: 'book' }, { name: 'calculate' }]);
    const key = uniqueContent();
    await calling(key, ['calculate', { expression: '2' }], ['book', { what: key }]);
    await saying(key, 'Done.');
    await client.send(chatId, key);
    const [action] = await actionsOf(chatId);
    const body = { decision: 'approve', arguments_hash: action?.arguments_hash, stream_format: 'sse' };
    const path = `/chat/${chatId}/actions/${action?.id}`;
    const answers = [await client.request(path, { body }), await client.request(path, { body })];
    for (const { text, headers } of answers) {
      expect(headers.get('x-stream-offset')).toBe('12');
      const names = [...text.matchAll(/^event: (\w+)\nid: (\S+)$/gm)].map(([, name, id]) => `${name} ${id}`);
      expect(names).toEqual(['message_start 12', 'tool_result 12', 'delta 17', 'message_end 17-end']);
      expect(text).toContain('"offset":12');
    }
    const plain = await client.request(path, { body: { ...body, stream_format: 'text' } });
    expect(plain.text.split('\n__TOKEN_USAGE__')[0]).toBe('Done.');
  });

  it('is not lost while the database is briefly unavailable', async () => {
    const { chatId, action, what } = await waiting();
    const registry = app.app.get(ToolRegistry);
    const meter = app.app.get(UsageMeter);
    const [find, away] = [registry.find.bind(registry), new ServiceUnavailableError()];
    // The first lookup is for the tools offered to the model.
    jest.spyOn(registry, 'find').mockImplementationOnce(find).mockRejectedValueOnce(away);
    const word = { decision: 'approve', arguments_hash: action.arguments_hash };
    expect((await decide(chatId, action.id, word)).body[1]).toMatchObject({ status: 'completed' });
    expect(tools.booked.filter((booked) => booked === what)).toHaveLength(1);
    jest.spyOn(meter, 'ofReply').mockRejectedValueOnce(away);
    const { reply } = await waiting();
    expect(reply.status).toBe('requires_action');
  });
});
