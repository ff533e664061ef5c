// @databases mariadb: requests at the same time
import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import { WaitingReplies } from '../../src/modules/generation/acting/waiting-replies';
import { resultsOf, useActing } from '../support/acting';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';

describe('decisions about tool calls', () => {
  const { app, admin, client, tools, chatWith, calling, saying, actionsOf, decide, waiting } = useActing();

  /** Replies with a measured first token. */
  const firstTokens = async (): Promise<number> =>
    Number(/^reply_first_token_seconds_count (\d+)$/m.exec((await call(`${app.origin}/metrics`)).text)?.[1] ?? 0);

  it('are awaited, and continue in the same message', async () => {
    const measured = await firstTokens();
    const { chatId, reply, action, what } = await waiting();
    expect(reply).toMatchObject({
      status: 'requires_action',
      finish_reason: null,
      completed_at: null,
      first_token_ms: expect.any(Number),
    });
    expect((await client.read(chatId)).active_message_id).toBeNull();
    expect(action).toMatchObject({
      kind: 'approve',
      tool: 'book',
      arguments: { what },
      state: 'open',
      destructive: true,
    });
    const { arguments_hash } = action;
    const answer = await decide(chatId, action.id, { decision: 'approve', arguments_hash });
    expect(answer.status).toBe(200);
    const { id, first_token_ms } = reply;
    expect(answer.body[1]).toMatchObject({ id, first_token_ms, status: 'completed', content: 'Let me see. Done.' });
    expect(await firstTokens()).toBe(measured + 1);
    expect(resultsOf(answer.body[1])).toEqual([`Booked ${what}.`]);
    expect(tools.booked.filter((booked) => booked === what)).toHaveLength(1);
    const again = await decide(chatId, action.id, { decision: 'approve', arguments_hash });
    expect(again.body[1]).toEqual(answer.body[1]);
    expectFailure(await decide(chatId, action.id, { decision: 'deny' }), 409, 'ACTION_ALREADY_DECIDED');
    expect(await actionsOf(chatId)).toEqual([]);
  });

  it('inform the model of a denial and its reason', async () => {
    const { chatId, action, what } = await waiting();
    const { body } = await decide(chatId, action.id, { decision: 'deny', reason: 'Too dear.' });
    expect(body[1].status).toBe('completed');
    expect(resultsOf(body[1])).toEqual([expect.stringContaining('Too dear.')]);
    expect(tools.booked).not.toContain(what);
  });

  it('replace the arguments with those that a person entered', async () => {
    const { chatId, action, what } = await waiting();
    const { arguments_hash } = action;
    const wrong = await decide(chatId, action.id, { decision: 'approve', arguments_hash, arguments: { what: 7 } });
    expectFailure(wrong, 422, 'VALIDATION_ERROR');
    const edited = { decision: 'approve', arguments_hash, arguments: { what: `${what} with a bath` } };
    const { body } = await decide(chatId, action.id, edited);
    expect(resultsOf(body[1])).toEqual([`Booked ${what} with a bath.`]);
    expect(tools.booked).not.toContain(what);
    expect((await client.request<ActionDto[]>(`/chat/${chatId}/actions?state=decided`)).body).toMatchObject([
      { arguments: { what: `${what} with a bath` }, proposed_arguments: { what } },
    ]);
  });

  it('count once, even if they arrive concurrently', async () => {
    const { chatId, action, what } = await waiting();
    const { arguments_hash } = action;
    const bodies = Array.from({ length: 50 }, (_value, index) =>
      index % 2 === 0 ? { decision: 'approve', arguments_hash } : { decision: 'deny', reason: `${index}` },
    );
    const answers = await Promise.all(bodies.map((body) => decide(chatId, action.id, body)));
    const isDone = tools.booked.filter((booked) => booked === what).length === 1;
    const [done] = (await client.request<ActionDto[]>(`/chat/${chatId}/actions?state=decided`)).body;
    expect(isDone).toBe(done?.decision === 'approve');
    const won = answers.flatMap(({ status }, index) => (status === 200 ? [bodies[index]?.decision] : []));
    expect(new Set(won)).toEqual(new Set([done?.decision]));
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  });

  it('run the calls that may run immediately, and wait for the rest', async () => {
    const chatId = await chatWith([{ name: 'book' }, { name: 'note' }, { name: 'calculate' }]);
    const key = uniqueContent();
    await calling(key, ['book', { what: key }], ['calculate', { expression: '2' }], ['note', { what: key }]);
    await saying(key, 'Done.');
    const [, reply] = (await client.send(chatId, key)).body;
    expect(resultsOf(reply)).toEqual(['{"result":"2","exact":true}']);
    const [second, first] = await actionsOf(chatId);
    const approve = (action = first) =>
      decide(chatId, action?.id ?? 0, { decision: 'approve', arguments_hash: action?.arguments_hash });
    const between = await approve(first);
    expect(between.body[1]).toMatchObject({ status: 'requires_action' });
    expect(resultsOf(between.body[1])).toHaveLength(2);
    expect(await app.model.requests(key)).toHaveLength(1);
    expect((await approve(second)).body[1]).toMatchObject({ status: 'completed', content: 'Let me see. Done.' });
  });

  it('start an approved call immediately, even while other calls of its round run', async () => {
    tools.hold();
    const chatId = await chatWith([{ name: 'note', policy: 'auto' }, { name: 'reserve' }]);
    const key = uniqueContent();
    await calling(key, ['note', { what: key }], ['reserve', { what: key }]);
    await saying(key, 'Done.');
    await client.stream(chatId, key);
    const [action] = await eventually(async () => {
      const open = await actionsOf(chatId);
      return open.length > 0 && open;
    });
    const decided = decide(chatId, action?.id ?? 0, { decision: 'approve', arguments_hash: action?.arguments_hash });
    await eventually(() => tools.reserved.some((given) => (given as { what: string }).what === key));
    tools.open();
    expect((await decided).status).toBe(200);
    expect(await client.waitForEnd(chatId)).toMatchObject({ status: 'completed', content: 'Let me see. Done.' });
  });

  it.each(['symbol', 'function', 'toJSON'])(
    'require the outcome of a call whose result is not JSON: %s',
    async (what) => {
      const chatId = await chatWith([{ name: 'odd', policy: 'auto' }]);
      const key = uniqueContent();
      await calling(key, ['odd', { what }]);
      await saying(key, 'Done.');
      expect((await client.send(chatId, key)).body[1]).toMatchObject({ status: 'requires_action' });
      expect(await actionsOf(chatId)).toMatchObject([{ kind: 'unknown', tool: 'odd' }]);
    },
  );

  it('stream only new content after a decision', async () => {
    const { chatId, action } = await waiting();
    const response = await fetch(`${app.url}/chat/${chatId}/actions/${action.id}?stream_format=sse`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'approve', arguments_hash: action.arguments_hash }),
    });
    expect(response.headers.get('x-stream-offset')).toBe('12');
    const text = await response.text();
    expect(text).toContain('"offset":12');
    expect(text).toContain('event: tool_result');
    expect(text).not.toContain('Let me see');
  });

  it.each(['', 'Let me see. '])('stream only new reasoning, after the text “%s”', async (text) => {
    const chatId = await chatWith([{ name: 'book' }]);
    const key = uniqueContent();
    const toolCall = { name: 'book', arguments: JSON.stringify({ what: key }) };
    await app.model.script({
      key,
      times: 1,
      steps: [{ reasoning: 'A room.' }, ...(text ? [{ text }] : []), { toolCall }],
    });
    await app.model.script({ key, steps: [{ reasoning: 'It is there.' }, { text: 'Done.' }] });
    await client.send(chatId, key);
    const [action] = await actionsOf(chatId);
    const body = { decision: 'approve', arguments_hash: action?.arguments_hash };
    for (const format of ['sse', 'ui_message', 'sse']) {
      const path = `/chat/${chatId}/actions/${action?.id}?stream_format=${format}`;
      const told = (await client.request(path, { body })).text;
      expect(told).toContain('It is there.');
      expect(told).not.toContain('A room.');
    }
  });

  it('continue without the call when another message is sent', async () => {
    const { chatId, reply, action, what } = await waiting();
    const next = uniqueContent();
    await saying(next, 'Yes.');
    expect((await client.send(chatId, next)).body[1].status).toBe('completed');
    const { messages } = await client.read(chatId);
    expect(messages.find(({ id }) => id === reply.id)).toMatchObject({ status: 'completed', finish_reason: 'stop' });
    const late = await decide(chatId, action.id, { decision: 'approve', arguments_hash: action.arguments_hash });
    expectFailure(late, 409, 'ACTION_ALREADY_DECIDED');
    expect(tools.booked).not.toContain(what);
  });

  it('continue without the call when another branch is selected', async () => {
    const chatId = await chatWith([{ name: 'book' }]);
    const [question, answer] = (await client.send(chatId, uniqueContent())).body;
    const content = uniqueContent();
    await calling(content, ['book', { what: content }]);
    await client.request(`/chat/${chatId}/messages/${question.id}`, { method: 'PUT', body: { content } });
    expect(await actionsOf(chatId)).toHaveLength(1);
    await client.request(`/chat/${chatId}/line`, { method: 'PUT', body: { message_id: answer.id } });
    const { messages } = await client.read(chatId, '?branches=all');
    expect(messages.map(({ status }) => status)).not.toContain('requires_action');
    expect(await actionsOf(chatId)).toEqual([]);
  });

  it('are cancelled by a stop', async () => {
    const { chatId, reply, action } = await waiting();
    expect((await client.stop(chatId)).body.message_id).toBe(reply.id);
    const { messages } = await client.read(chatId);
    expect(messages.at(-1)).toMatchObject({ status: 'stopped', finish_reason: 'cancelled' });
    expectFailure(await decide(chatId, action.id, { decision: 'deny' }), 409, 'ACTION_ALREADY_DECIDED');
  });

  it('are returned as pending when a keyed message is repeated', async () => {
    const chatId = await chatWith([{ name: 'book' }]);
    const key = uniqueContent();
    await calling(key, ['book', { what: key }]);
    const send = () => client.send(chatId, key, { headers: { 'idempotency-key': key.split(' ').join('-') } });
    const first = await send();
    const second = await send();
    expect(first.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(await actionsOf(chatId)).toHaveLength(1);
  });

  it('require a person to report the outcome of a call without an answer, and repeat only idempotent calls', async () => {
    const chatId = await chatWith([{ name: 'hang', policy: 'auto' }, { name: 'hang_reading' }]);
    const key = uniqueContent();
    await calling(key, ['hang', { what: key }], ['hang_reading', { what: `${key} read` }]);
    await saying(key, 'I see.');
    expect((await client.send(chatId, key)).body[1].status).toBe('requires_action');
    expect(tools.hung.filter((what) => what === key)).toHaveLength(1);
    expect(tools.hung.filter((what) => what === `${key} read`)).toHaveLength(2);
    const [action] = await actionsOf(chatId);
    expect(action).toMatchObject({ kind: 'unknown', tool: 'hang', expires_at: null });
    const hash = { arguments_hash: action?.arguments_hash };
    const retried = await decide(chatId, action?.id ?? 0, { decision: 'retry', ...hash });
    expect(retried.body[1].status).toBe('requires_action');
    const [next] = await actionsOf(chatId);
    expect(next?.id).toBeGreaterThan(action?.id ?? 0);
    const { body } = await decide(chatId, next?.id ?? 0, { decision: 'done', text: 'It is booked.', ...hash });
    expect(body[1].status).toBe('completed');
    expect(resultsOf(body[1])).toContain('It is booked.');
    expect(tools.hung.filter((what) => what === key)).toHaveLength(2);
  });

  it('expire without a decision', async () => {
    const { chatId, reply, action, what } = await waiting();
    app.advanceClock(86_401_000);
    const body = { decision: 'approve', arguments_hash: action.arguments_hash };
    expectFailure(await decide(chatId, action.id, body), 410, 'ACTION_EXPIRED');
    expect(tools.booked).not.toContain(what);
    await app.app.get(WaitingReplies).expire();
    app.resetClock();
    const { messages } = await client.read(chatId);
    expect(messages.find(({ id }) => id === reply.id)).toMatchObject({
      status: 'completed',
      finish_reason: 'action_expired',
    });
    expectFailure(await decide(chatId, action.id, body), 410, 'ACTION_EXPIRED');
  });

  it('are made by other approvers if the agent requires it, and never by the requesting user', async () => {
    const { chatId, reply, action, what } = await waiting({ approver: 'admin' });
    const hash = { arguments_hash: action.arguments_hash };
    expectFailure(await decide(chatId, action.id, { decision: 'approve', ...hash }), 403, 'APPROVER_REQUIRED');
    const stranger = await app.newClient();
    expectFailure(await decide(chatId, action.id, { decision: 'deny' }, stranger), 404, 'ACTION_NOT_FOUND');
    const approver = new ChatClient(app.url, admin.account.token);
    const seen = await approver.request<ActionDto[]>('/user/actions');
    expect(seen.body).toContainEqual(expect.objectContaining({ id: action.id, arguments: { what } }));
    const answer = await decide(chatId, action.id, { decision: 'approve', ...hash }, approver);
    expect(answer.body).toEqual({ id: action.id, state: 'decided' });
    await client.waitForEnd(chatId);
    expect(tools.booked.filter((booked) => booked === what)).toHaveLength(1);
    expect((await client.read(chatId)).messages.at(-1)).toMatchObject({ id: reply.id, status: 'completed' });
  });

  it('need a separate scope for API keys', async () => {
    const { chatId, action } = await waiting();
    const keyWith = async (scopes: string[]): Promise<ChatClient> => {
      const answer = await client.request<{ key: string }>('/user/api-keys', { body: { name: 'k', scopes } });
      return new ChatClient(app.url, answer.body.key);
    };
    const writer = await keyWith(['chat:read', 'chat:write']);
    expectFailure(await decide(chatId, action.id, { decision: 'deny' }, writer), 403, 'SCOPE_REQUIRED');
    const decider = await keyWith(['actions:decide']);
    expect((await decide(chatId, action.id, { decision: 'deny' }, decider)).status).toBe(200);
  });
});
