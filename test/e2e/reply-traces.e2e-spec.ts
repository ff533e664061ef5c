import type { AdminReplyTraceDto, ReplyTraceDto } from '../../src/modules/chat/traces/reply-trace.dto';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { expectFailure } from '../support/http';
import { OPENAI_MAX_TOKENS } from '../support/model-server/refusals/parameter-refusals';

describe('the trace of a reply', () => {
  const { app, admin, client, chatWith, calling, saying, waiting, decide } = useActing();

  const traceOf = (chatId: number, messageId: number, by = client) =>
    by.request<ReplyTraceDto>(`/chat/${chatId}/messages/${messageId}/trace`);
  const adminTraceOf = async (messageId: number): Promise<AdminReplyTraceDto> =>
    (await admin.get<AdminReplyTraceDto>(`/admin/messages/${messageId}/trace`)).body.data;

  it('contains for an ordinary reply the called model, and the durations', async () => {
    const { id } = await client.createChat();
    const [, reply] = (await client.send(id, uniqueContent())).body;
    const { status, body } = await traceOf(id, reply.id);
    expect(status).toBe(200);
    expect(body).toEqual({
      message_id: reply.id,
      chat_id: id,
      status: 'completed',
      finish_reason: 'stop',
      error_code: null,
      started_at: reply.created_at,
      ended_at: reply.completed_at,
      first_token_ms: reply.first_token_ms,
      duration_ms: reply.duration_ms,
      rounds: 1,
      attempts: [
        {
          kind: 'reply',
          round: 1,
          provider: 'default',
          model: 'scripted',
          outcome: 'answered',
          code: null,
          learned: null,
          started_at: expect.any(String) as string,
          first_token_ms: expect.any(Number) as number,
          duration_ms: expect.any(Number) as number,
          span_id: null,
        },
      ],
      tools: [],
      guards: [],
      token_usage: reply.token_usage,
      trace_id: null,
      trace_sampled: null,
    });
    expect(await adminTraceOf(reply.id)).toMatchObject({
      user_id: expect.any(Number) as number,
      attempts: [{ outcome: 'answered', provider_status: null, provider_message: null }],
    });
  });

  it('contains refusals and learned settings; the provider’s messages for administrators only', async () => {
    const { id } = await client.createChat();
    const content = uniqueContent();
    await app.model.script({
      key: content,
      times: 1,
      status: 500,
      body: '{"error":{"message":"Bad sk-secret1234567."}}',
    });
    await saying(content, 'At last.');
    const [, reply] = (await client.send(id, content)).body;
    const { body, text } = await traceOf(id, reply.id);
    expect(body.attempts).toMatchObject([
      { outcome: 'failed', code: 'PROVIDER_ERROR', first_token_ms: null },
      { outcome: 'answered', code: null },
    ]);
    expect(text).not.toMatch(/Bad|provider_/);
    const [failed] = (await adminTraceOf(reply.id)).attempts;
    expect(failed).toMatchObject({ provider_status: 500, provider_message: 'Bad [key]' });
  });

  it('names a parameter that a model refused', async () => {
    const chatId = await chatWith([], { model_params: { max_tokens: 100 }, model: 'thinks' });
    const content = uniqueContent();
    await app.model.script({ key: content, refuses: [OPENAI_MAX_TOKENS] });
    const [, reply] = (await client.send(chatId, content)).body;
    const { attempts } = (await traceOf(chatId, reply.id)).body;
    expect(attempts).toMatchObject([
      { outcome: 'failed', learned: 'max_tokens' },
      { outcome: 'answered', learned: null },
    ]);
  });

  it('contains the rounds and the tool calls, also over a wait, but never their arguments', async () => {
    const chatId = await chatWith([{ name: 'calculate' }]);
    const key = uniqueContent();
    await calling(key, ['calculate', { expression: '6 * 7000' }]);
    await saying(key, 'There.');
    const [, reply] = (await client.send(chatId, key)).body;
    const { body, text } = await traceOf(chatId, reply.id);
    expect(body).toMatchObject({
      rounds: 2,
      attempts: [{ round: 1 }, { round: 2 }],
      tools: [
        { name: 'calculate', server: null, round: 1, state: 'succeeded', duration_ms: expect.any(Number) as number },
      ],
    });
    expect(text).not.toMatch(/7000|42000/);
    const asked = await waiting();
    expect((await traceOf(asked.chatId, asked.reply.id)).body).toMatchObject({
      status: 'requires_action',
      ended_at: null,
      attempts: [{ round: 1 }],
      tools: [{ name: 'book', state: 'waiting', started_at: null }],
    });
    await decide(asked.chatId, asked.action.id, { decision: 'approve', arguments_hash: asked.action.arguments_hash });
    expect((await traceOf(asked.chatId, asked.reply.id)).body).toMatchObject({
      status: 'completed',
      rounds: 2,
      attempts: [{ round: 1 }, { round: 2 }],
      tools: [{ name: 'book', state: 'succeeded' }],
    });
  });

  it('contains the known part of a running reply', async () => {
    const { id } = await client.createChat();
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Once' }, { hold: content }, { text: ' upon' }] });
    const stream = await client.stream(id, content, { query: 'stream_format=sse' });
    await stream.until('Once');
    const [, reply] = (await client.read(id)).messages;
    expect((await traceOf(id, reply?.id ?? 0)).body).toMatchObject({
      status: 'streaming',
      ended_at: null,
      token_usage: null,
      attempts: [{ provider: 'default', outcome: 'answered' }],
    });
    await app.model.release(content);
    await stream.plain().catch(() => undefined);
  });

  it('is visible to its owner and administrators: 404 for others, for questions and in the trash', async () => {
    const { id } = await client.createChat();
    const [question, reply] = (await client.send(id, uniqueContent())).body;
    const other = await app.newClient();
    expectFailure(await traceOf(id, reply.id, other), 404, 'CHAT_NOT_FOUND');
    expectFailure(await traceOf(id, question.id), 404, 'MESSAGE_NOT_FOUND');
    expectFailure(await traceOf(id, 2_000_000_000), 404, 'MESSAGE_NOT_FOUND');
    const { id: elsewhere } = await client.createChat();
    expectFailure(await traceOf(elsewhere, reply.id), 404, 'MESSAGE_NOT_FOUND');
    expectFailure(await admin.get(`/admin/messages/${question.id}/trace`), 404, 'MESSAGE_NOT_FOUND');
    expectFailure(await client.request(`/admin/messages/${reply.id}/trace`), 403, 'FORBIDDEN');
    await client.request(`/chat/${id}`, { method: 'DELETE' });
    expectFailure(await traceOf(id, reply.id), 404, 'CHAT_NOT_FOUND');
    expectFailure(await admin.get(`/admin/messages/${reply.id}/trace`), 404, 'MESSAGE_NOT_FOUND');
  });
});
