import { Database } from '../../src/database/database';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { ToolOffer } from '../../src/modules/generation/acting/tool-offer';
import { WaitingReplies } from '../../src/modules/generation/acting/waiting-replies';
import { ToolCallEntity } from '../../src/modules/generation/actions/tool-call.entity';
import { resultsOf, useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { CompletionCaller } from '../support/completion-stream';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';

const UNKNOWN = 'The tool did not respond, but it may have acted. Check its effect before you call it again.';

describe('agents that call tools', () => {
  const { app, admin, client, tools, agentWith, chatWith, calling, saying, actionsOf, decide, waiting } = useActing();

  const storage = async () => (await client.request<{ storage: { used: number } }>('/user/quota')).body.storage.used;

  it('store one call more than they may make, however many their model requests', async () => {
    const chatId = await chatWith([{ name: 'calculate' }], { max_calls: 2 });
    const key = uniqueContent();
    await calling(key, ...Array.from({ length: 50 }, () => ['calculate', { expression: '1' }] as [string, unknown]));
    const [, reply] = (await client.send(chatId, key)).body;
    expect(reply.finish_reason).toBe('tool_limit');
    expect(resultsOf(reply)).toHaveLength(50);
    expect(resultsOf(reply).filter((result) => result.startsWith('limit'))).toHaveLength(48);
    expect(await app.app.get(Database).repository(ToolCallEntity).countBy({ messageId: reply.id })).toBe(3);
    const next = uniqueContent();
    await saying(next, 'Well.');
    expect((await client.send(chatId, next)).body[1].content).toBe('Well.');
  });

  it("answer with text in their last round, which offers only the client's functions", async () => {
    const agent = await agentWith([{ name: 'calculate' }], { max_rounds: 2 });
    const { id: chatId } = await client.createChat({ agent_id: agent.id });
    const key = uniqueContent();
    await calling(key, ['calculate', { expression: '1' }]);
    await saying(key, 'One.');
    const [, reply] = (await client.send(chatId, key)).body;
    expect(reply).toMatchObject({ finish_reason: 'stop', content: 'Let me see. One.' });
    const toolsOf = ({ body }: { body: Record<string, unknown> }) => (body.tools as object[] | undefined)?.length;
    expect((await app.model.requests(key)).map(toolsOf)).toEqual([1, undefined]);
    const other = uniqueContent();
    await calling(other, ['calculate', { expression: '1' }]);
    await saying(other, 'One.');
    await new CompletionCaller(app.origin, client.token).complete({
      model: agent.name,
      messages: [{ role: 'user', content: other }],
      tools: [{ type: 'function', function: { name: 'mine' } }],
      tool_choice: 'required',
    });
    const requests = await app.model.requests(other);
    expect(requests.map((request) => [toolsOf(request), request.body.tool_choice])).toEqual([
      [2, 'required'],
      [1, undefined],
    ]);
  });

  it.each(['length', 'content_filter'])('make no call from a truncated answer: %s', async (finish) => {
    const chatId = await chatWith([{ name: 'book', policy: 'auto' }]);
    const key = uniqueContent();
    const toolCall = { id: 'same', name: 'book', arguments: JSON.stringify({ what: key }) };
    await app.model.script({ key, times: 1, steps: [{ text: 'Let me see. ' }, { toolCall }], finish });
    const [, reply] = (await client.send(chatId, key)).body;
    expect(reply).toMatchObject({ status: 'completed', finish_reason: finish, content: 'Let me see. ' });
    expect(tools.booked).not.toContain(key);
    const next = uniqueContent();
    await saying(next, 'Well.');
    expect((await client.send(chatId, next)).body[1].content).toBe('Well.');
  });

  it('end when their rounds reach the cost limit', async () => {
    await admin.post('/admin/prices', { model: 'scripted', input: '1', output: '2' });
    const chatId = await chatWith([{ name: 'calculate' }], { max_cost_per_run: '0.0000001' });
    const key = uniqueContent();
    await calling(key, ['calculate', { expression: '1' }]);
    const [, reply] = (await client.send(chatId, key)).body;
    expect(reply).toMatchObject({ status: 'completed', finish_reason: 'tool_limit' });
    expect(await app.model.requests(key)).toHaveLength(1);
  });

  it('count tool results towards the storage of their user', async () => {
    const chatId = await chatWith([{ name: 'huge' }]);
    const key = uniqueContent();
    await calling(key, ['huge', { what: 'x' }]);
    await saying(key, 'Much.');
    const before = await storage();
    await client.send(chatId, key);
    const kept = (await storage()) - before;
    expect(kept).toBeGreaterThan(1_000_000);
    expect(kept).toBeLessThanOrEqual(1_024 * 1_024);
  });

  it('keep waiting when a message is refused that would have ended the wait', async () => {
    const { chatId, action, reply } = await waiting();
    const plans = await admin.items<{ membership_type: string }>('/admin/plans');
    const free = plans.find(({ membership_type }) => membership_type === 'free');
    await admin.put('/admin/plans/free', { ...free, messages_per_day: 0 });
    expectFailure(await client.send(chatId, 'Never mind.'), 429, 'QUOTA_EXCEEDED');
    await admin.put('/admin/plans/free', { ...free });
    expectFailure(await client.send(chatId, ''), 422, 'VALIDATION_ERROR');
    expect((await actionsOf(chatId)).map(({ id }) => id)).toEqual([action.id]);
    const answer = await decide(chatId, action.id, { decision: 'approve', arguments_hash: action.arguments_hash });
    expect(answer.body[1]).toMatchObject({ id: reply.id, status: 'completed' });
    expect((await client.read(chatId)).messages).toHaveLength(2);
  });

  it('do not continue after an expired question, even if another call was still running then', async () => {
    tools.hold();
    const chatId = await chatWith([{ name: 'note', policy: 'auto' }, { name: 'book' }]);
    const key = uniqueContent();
    await calling(key, ['note', { what: key }], ['book', { what: key }]);
    await saying(key, 'Done.');
    const before = tools.keys.length;
    await client.stream(chatId, key);
    await eventually(async () => tools.keys.length > before && (await actionsOf(chatId)).length === 1);
    app.advanceClock(86_401_000);
    await app.app.get(WaitingReplies).expire();
    app.resetClock();
    tools.open();
    const reply = await client.waitForEnd(chatId);
    expect(reply).toMatchObject({ status: 'completed', finish_reason: 'action_expired', content: 'Let me see. ' });
    expect(resultsOf(reply)).toHaveLength(2);
    expect(reply.parts).toContainEqual(expect.objectContaining({ name: 'book', state: 'expired' }));
    expect(await app.model.requests(key)).toHaveLength(1);
    expect(tools.booked).not.toContain(key);
  });

  it('report the outcome of an unanswered call as unknown when they end', async () => {
    const chatId = await chatWith([{ name: 'hang', policy: 'auto' }]);
    const key = uniqueContent();
    await calling(key, ['hang', { what: key }]);
    expect((await client.send(chatId, key)).body[1].status).toBe('requires_action');
    await client.stop(chatId);
    const reply = await client.waitForEnd(chatId);
    expect(reply.parts).toContainEqual(expect.objectContaining({ type: 'tool_call', state: 'unknown' }));
    expect(resultsOf(reply)).toEqual([UNKNOWN]);
  });

  it('report the outcome as unknown for an idempotent call that is stopped while it runs', async () => {
    tools.hold();
    const chatId = await chatWith([{ name: 'note', policy: 'auto' }]);
    const key = uniqueContent();
    await calling(key, ['note', { what: key }]);
    const before = tools.keys.length;
    await client.stream(chatId, key);
    await eventually(() => tools.keys.length > before);
    await client.stop(chatId);
    tools.open();
    expect(resultsOf(await client.waitForEnd(chatId))).toEqual([UNKNOWN]);
  });

  it('keep waiting for a question that does not expire', async () => {
    const chatId = await chatWith([{ name: 'hang', policy: 'auto' }, { name: 'book' }]);
    const key = uniqueContent();
    await calling(key, ['hang', { what: key }], ['book', { what: key }]);
    await client.send(chatId, key);
    app.advanceClock(86_401_000);
    await app.app.get(WaitingReplies).expire();
    app.resetClock();
    const [unknown, ...others] = await actionsOf(chatId);
    expect([unknown?.kind, others]).toEqual(['unknown', []]);
    const word = { decision: 'failed', arguments_hash: unknown?.arguments_hash };
    const { body } = await decide(chatId, unknown?.id ?? 0, word);
    expect(body[1]).toMatchObject({ status: 'completed', finish_reason: 'action_expired' });
  });

  describe('with an unknown outcome of the first attempt', () => {
    /** Calls without an answer. The first one was to be repeated, and requires approval first. */
    async function asking(times = 1) {
      const agent = await agentWith([{ name: 'hang', policy: 'auto' }]);
      const { id: chatId } = await client.createChat({ agent_id: agent.id });
      const key = uniqueContent();
      await calling(key, ...Array.from({ length: times }, (): [string, unknown] => ['hang', { what: key }]));
      await saying(key, 'Done.');
      await client.send(chatId, key);
      await admin.put(`/agents/${agent.id}`, { tools: [{ name: 'hang', policy: 'ask' }] });
      const [{ id, arguments_hash }] = (await actionsOf(chatId)).reverse() as [ActionDto];
      await decide(chatId, id, { decision: 'retry', arguments_hash });
      const action = (await actionsOf(chatId)).find(({ kind }) => kind === 'approve') as ActionDto;
      return { chatId, action };
    }

    async function expire(): Promise<void> {
      app.advanceClock(86_401_000);
      await app.app.get(WaitingReplies).expire();
      app.resetClock();
    }

    it.each<[string, (action: ActionDto) => Promise<unknown>, string]>([
      ['is denied', ({ chat_id: chat, id }) => decide(chat, id, { decision: 'deny', reason: 'No.' }), `${UNKNOWN} No.`],
      ['expires', expire, UNKNOWN],
      ['is declined by another message', ({ chat_id: chat }) => client.send(chat, uniqueContent()), UNKNOWN],
      [
        'ends in the trash',
        async ({ chat_id: chat }) => {
          await client.request(`/chat/${chat}`, { method: 'DELETE' });
          await client.request(`/chat/${chat}/restore`, { method: 'POST' });
        },
        UNKNOWN,
      ],
    ])('do not report that nothing was done when another one %s', async (_what, end, result) => {
      const { chatId, action } = await asking();
      await end(action);
      const reply = (await client.read(chatId)).messages[1] as MessageDto;
      expect(resultsOf(reply)).toEqual([result]);
      expect(reply.parts).toContainEqual(expect.objectContaining({ type: 'tool_call', state: 'unknown' }));
    });

    it('do not continue after another question has expired either', async () => {
      const { chatId } = await asking(2);
      await expire();
      const [{ id, arguments_hash }] = (await actionsOf(chatId)) as [ActionDto];
      const { body } = await decide(chatId, id, { decision: 'failed', arguments_hash });
      expect(body[1]).toMatchObject({ status: 'completed', finish_reason: 'action_expired' });
      expect(resultsOf(body[1])).toEqual([UNKNOWN, UNKNOWN]);
    });

    it('do not report it when they are stopped before another one', async () => {
      const chatId = await chatWith([{ name: 'hang', policy: 'auto' }]);
      const key = uniqueContent();
      await calling(key, ['hang', { what: key }]);
      await client.send(chatId, key);
      const [{ id, arguments_hash, message_id }] = (await actionsOf(chatId)) as [ActionDto];
      const offer = app.app.get(ToolOffer);
      const of = offer.of.bind(offer);
      jest.spyOn(offer, 'of').mockImplementationOnce(async (...given) => {
        const stopped = { stopRequestedAt: new Date() };
        await app.app.get(Database).write((manager) => manager.update(MessageEntity, { id: message_id }, stopped));
        return of(...given);
      });
      const { body } = await decide(chatId, id, { decision: 'retry', arguments_hash });
      expect(body[1].status).toBe('stopped');
      expect(body[1].parts).toContainEqual(expect.objectContaining({ type: 'tool_call', state: 'unknown' }));
      expect(tools.hung.filter((what) => what === key)).toHaveLength(1);
    });

    it('do not report it if a crash interrupted it, and another one is denied', async () => {
      tools.hold();
      const agent = await agentWith([{ name: 'note', policy: 'auto' }]);
      const { id: chatId } = await client.createChat({ agent_id: agent.id });
      const key = uniqueContent();
      await calling(key, ['note', { what: key }]);
      await saying(key, 'Done.');
      const before = tools.keys.length;
      await client.stream(chatId, key);
      await eventually(() => tools.keys.length > before);
      await admin.put(`/agents/${agent.id}`, { tools: [{ name: 'note' }] });
      await app.app.get(Database).write((manager) => manager.update(MessageEntity, { chatId }, { ownerId: 'dead' }));
      const { id } = await eventually(async () => (await actionsOf(chatId))[0]);
      tools.open();
      const { body } = await decide(chatId, id, { decision: 'deny' });
      expect(resultsOf(body[1])).toEqual([UNKNOWN]);
    });
  });

  it('do nothing more for a conversation in the trash, restored or not', async () => {
    const { chatId, action, what } = await waiting();
    await client.request(`/chat/${chatId}`, { method: 'DELETE' });
    const body = { decision: 'approve', arguments_hash: action.arguments_hash };
    expectFailure(await decide(chatId, action.id, body), 404, 'CHAT_NOT_FOUND');
    await client.request(`/chat/${chatId}/restore`, { method: 'POST' });
    expectFailure(await decide(chatId, action.id, body), 409, 'ACTION_ALREADY_DECIDED');
    expect((await client.read(chatId)).messages.at(-1)?.status).toBe('stopped');
    expect(tools.booked).not.toContain(what);
  });
});
