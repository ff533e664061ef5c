// @databases mariadb mysql: spans are stored in rows of replies and calls, and another instance continues them
import { randomUUID } from 'node:crypto';
import { Database } from '../../src/database/database';
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import type { AdminReplyTraceDto, ReplyTraceDto } from '../../src/modules/chat/traces/reply-trace.dto';
import { newcomer } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { type ChatApp, startChatApp } from '../support/chat-app';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { CountingTools } from '../support/counting-tools';
import { eventually } from '../support/eventually';
import { addGuard } from '../support/guarding';
import { startInstance, startTestApp } from '../support/test-app';
import { CAN_TRACE, type ReceivedSpan, tracedBy, TraceReceiver } from '../support/trace-receiver';
import { WebhookReceiver } from '../support/webhook-receiver';

const CANARY = 'canary-words-of-a-person';

if (CAN_TRACE) {
  describe('traces', () => {
    let receiver: TraceReceiver;
    let app: ChatApp;
    let admin: AdminClient;
    let client: ChatClient;
    let tools: CountingTools;

    beforeAll(async () => {
      receiver = await TraceReceiver.start();
      app = await startChatApp({
        ...tracedBy(receiver),
        OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        TRACE_URL: 'https://tempo.example.com/trace/{trace_id}',
      });
      admin = await AdminClient.of(app);
      tools = CountingTools.in(app);
      client = await app.newClient();
    });

    afterAll(async () => {
      await app.close();
      await receiver.stop();
    });

    async function chatWith(...names: string[]): Promise<number> {
      const fields = { name: newcomer().username, tools: names.map((name) => ({ name, policy: 'auto' })) };
      const agent = (await admin.post<AgentAdminDto>('/agents', fields)).body.data;
      return (await client.createChat({ agent_id: agent.id })).id;
    }

    const calling = (key: string, name: string, given: unknown) =>
      app.model.script({
        key,
        times: 1,
        steps: [{ text: 'Well. ' }, { toolCall: { id: 'c', name, arguments: JSON.stringify(given) } }],
      });

    const spanOf = (messageId: number): Promise<ReceivedSpan> =>
      receiver.find(
        ({ name, attributes }) =>
          name.startsWith('invoke_agent') && attributes['chat_service.message.id'] === messageId,
      );

    it('contain a message with a tool in one trace, with names, attributes and parents', async () => {
      const chatId = await chatWith('look');
      const key = uniqueContent(CANARY);
      await calling(key, 'look', { what: CANARY });
      await app.model.script({ key, steps: [{ text: `Done, ${CANARY}.` }] });
      const { body } = await client.send(chatId, key);
      const messageId = body[1].id;
      const exchange = await spanOf(messageId);
      const spans = await receiver.trace(exchange.traceId, 'POST /api/v1/chat/message');
      const named = (name: string): ReceivedSpan[] => spans.filter((span) => span.name === name);
      const [request] = named('POST /api/v1/chat/message');
      expect(request).toMatchObject({
        parent: null,
        kind: 2,
        isError: false,
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/api/v1/chat/message',
          'http.response.status_code': 200,
          'url.scheme': 'http',
          'chat_service.request.id': expect.any(String) as string,
        },
      });
      expect(exchange).toMatchObject({
        parent: request?.spanId,
        kind: 1,
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.conversation.id': String(chatId),
          'session.id': String(chatId),
          'user.id': expect.stringMatching(/^\d+$/) as string,
          'gen_ai.agent.version': '1',
          'chat_service.message.status': 'completed',
          'gen_ai.usage.input_tokens': expect.any(Number) as number,
        },
      });
      const rounds = named('chat scripted');
      expect(rounds.map(({ attributes }) => attributes['chat_service.round'])).toEqual([1, 2]);
      expect(rounds[0]).toMatchObject({
        parent: exchange.spanId,
        kind: 3,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'default',
          'gen_ai.request.model': 'scripted',
          'gen_ai.request.stream': true,
          'gen_ai.response.finish_reasons': ['tool_calls'],
          'gen_ai.response.time_to_first_chunk': expect.any(Number) as number,
          'server.address': '127.0.0.1',
          'server.port': expect.any(Number) as number,
          'chat_service.kind': 'reply',
        },
      });
      expect(named('execute_tool look')).toMatchObject([
        {
          parent: exchange.spanId,
          attributes: {
            'gen_ai.tool.name': 'look',
            'gen_ai.tool.type': 'function',
            'gen_ai.tool.call.id': `call_${messageId}_0`,
            'chat_service.tool.state': 'succeeded',
            'chat_service.tool.attempt': 1,
          },
        },
      ]);
      expect(receiver.requests[0]).toMatchObject({
        path: '/v1/traces',
        schemaUrl: 'https://opentelemetry.io/schemas/1.45.0',
        headers: { authorization: 'Basic abc' },
        resource: { 'service.name': 'chat-service', 'deployment.environment.name': 'test' },
      });
      const sent = (await app.model.requests(key)).map(({ headers }) => headers.traceparent);
      expect(sent).toEqual(rounds.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`));
      const trace = (await client.request<ReplyTraceDto>(`/chat/${chatId}/messages/${messageId}/trace`)).body;
      expect(trace).toMatchObject({ trace_id: exchange.traceId, trace_sampled: true });
      expect(trace).not.toHaveProperty('trace_ids');
      expect(trace).not.toHaveProperty('trace_url');
      expect(trace.attempts.map(({ span_id }) => span_id)).toEqual(rounds.map(({ spanId }) => spanId));
      expect(trace.tools.map(({ span_id }) => span_id)).toEqual([named('execute_tool look')[0]?.spanId]);
      const all = (await admin.get<AdminReplyTraceDto>(`/admin/messages/${messageId}/trace`)).body.data;
      expect(all.trace_url).toBe(`https://tempo.example.com/trace/${exchange.traceId}`);
      expect(receiver.text).not.toContain(CANARY);
    });

    it('include the retries of a model, and the code of a failure', async () => {
      const chatId = await chatWith();
      const key = uniqueContent(CANARY);
      await app.model.script({ key, times: 9, status: 500, body: `{"error":{"message":"${CANARY}"}}` });
      const failed = await client.send(chatId, key);
      expect(failed.status).toBe(502);
      const model = await receiver.find(({ name, isError }) => name === 'chat scripted' && isError);
      expect(model.attributes['error.type']).toBe('PROVIDER_ERROR');
      expect(model.events).toMatchObject([
        { name: 'retry', attributes: { attempt: 2, status: 500 } },
        { name: 'retry', attributes: { attempt: 3, status: 500 } },
      ]);
      const request = await receiver.find(({ traceId, kind }) => traceId === model.traceId && kind === 2);
      expect(request.attributes['error.type']).toBe('PROVIDER_ERROR');
      const [listed] = await admin.items<{ trace_id: string; trace_sampled: boolean }>('/admin/replies?size=1');
      expect(listed).toMatchObject({ trace_id: model.traceId, trace_sampled: true });
      expect(receiver.text).not.toContain(CANARY);
    });

    it('continue the trace of a valid traceparent, and ignore a malformed one', async () => {
      const trace = 'a'.repeat(32);
      const valid = `00-${trace}-${'b'.repeat(16)}-01`;
      await client.request('/chat/agents/active', { headers: { traceparent: valid, tracestate: 'x=1' } });
      expect(await receiver.find(({ traceId }) => traceId === trace)).toMatchObject({ parent: 'b'.repeat(16) });
      const malformed = [
        `ff-${trace}-${'b'.repeat(16)}-01`,
        `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
        `00-${trace}-${'0'.repeat(16)}-01`,
        `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01`,
        `00-${trace}-${'b'.repeat(15)}-01`,
        `00-${trace}-${'b'.repeat(16)}-01-more`,
        `${valid}, ${valid}`,
      ];
      for (const traceparent of malformed) {
        const id = randomUUID();
        const sent = await client.request('/chat/agents/active', { headers: { traceparent, 'x-request-id': id } });
        expect(sent.status).toBe(200);
        const span = await receiver.find(({ attributes }) => attributes['chat_service.request.id'] === id);
        expect(span.parent).toBeNull();
        expect(span.traceId).not.toBe(trace);
      }
    });

    it('link a reply that continues after a decision to its start, in the trace of the decision', async () => {
      const agent = { name: newcomer().username, tools: [{ name: 'book', policy: 'ask' }] };
      const { id } = (await admin.post<AgentAdminDto>('/agents', agent)).body.data;
      const chatId = (await client.createChat({ agent_id: id })).id;
      const key = uniqueContent();
      await calling(key, 'book', { what: key });
      await app.model.script({ key, steps: [{ text: 'Booked.' }] });
      const [, reply] = (await client.send(chatId, key)).body;
      const started = await spanOf(reply.id);
      expect(started.attributes['chat_service.message.status']).toBe('requires_action');
      const [action] = (await client.request<ActionDto[]>(`/chat/${chatId}/actions`)).body as [ActionDto];
      // One process owns a file of SQLite, so the same instance continues there.
      const second = app.app.get(Database).isShared ? await startInstance(app.environment) : null;
      try {
        if (second !== null) CountingTools.in({ ...app, app: second.app });
        const other = new ChatClient((second ?? app).url, client.token);
        const decided = await other.request(`/chat/${chatId}/actions/${action.id}`, {
          body: { decision: 'approve', arguments_hash: action.arguments_hash },
        });
        expect(decided.status).toBe(200);
      } finally {
        await second?.app.close();
      }
      const continued = await receiver.find(
        ({ attributes, spanId }) =>
          attributes['chat_service.message.id'] === reply.id &&
          spanId !== started.spanId &&
          attributes['gen_ai.operation.name'] === 'invoke_agent',
      );
      expect(continued.links).toEqual([{ traceId: started.traceId, spanId: started.spanId, kind: 'continues' }]);
      expect(continued.attributes['gen_ai.conversation.id']).toBe(String(chatId));
      const decision = await receiver.find(({ spanId }) => spanId === continued.parent);
      expect(decision.name).toBe('POST /api/v1/chat/:chat_id/actions/:action_id');
      const trace = (await client.request<ReplyTraceDto>(`/chat/${chatId}/messages/${reply.id}/trace`)).body;
      expect(trace).toMatchObject({ trace_id: started.traceId, trace_ids: [started.traceId, continued.traceId] });
    });

    it('link a reply that continues after a crash to its start', async () => {
      tools.hold();
      const chatId = await chatWith('note');
      const key = uniqueContent();
      await calling(key, 'note', { what: key });
      await app.model.script({ key, steps: [{ text: 'Noted.' }] });
      const stream = await client.stream(chatId, key);
      const messageId = Number(stream.header('x-message-id'));
      const ofCall = (): string[] => tools.keys.filter((each) => each === `call_${messageId}_0`);
      await eventually(() => ofCall().length === 1);
      await app.app
        .get(Database)
        .write((manager) => manager.update(MessageEntity, { id: messageId }, { ownerId: 'dead' }));
      await eventually(() => ofCall().length === 2);
      tools.open();
      await client.waitForEnd(chatId);
      const continued = await receiver.find(
        ({ attributes, links }) => attributes['chat_service.message.id'] === messageId && links.length > 0,
      );
      const trace = (await client.request<ReplyTraceDto>(`/chat/${chatId}/messages/${messageId}/trace`)).body;
      expect(continued).toMatchObject({ parent: null, links: [{ traceId: trace.trace_id, kind: 'continues' }] });
      expect(trace.trace_ids).toEqual([trace.trace_id, continued.traceId]);
    });

    it('link a request that joins a reply', async () => {
      const chatId = await chatWith();
      const key = uniqueContent();
      const gate = uniqueContent('gate');
      await app.model.script({ key, steps: [{ text: 'One. ' }, { hold: gate }, { text: 'Two.' }] });
      const stream = await client.stream(chatId, key);
      const messageId = Number(stream.header('x-message-id'));
      const joining = client.request(`/chat/${chatId}/stream?offset=0`);
      await app.model.release(gate);
      await joining;
      const exchange = await spanOf(messageId);
      const join = await receiver.find(({ name }) => name === 'GET /api/v1/chat/:chat_id/stream');
      expect(join.links).toEqual([{ traceId: exchange.traceId, spanId: exchange.spanId, kind: 'joins' }]);
    });

    it('link a webhook to its change, and continue at the receiver', async () => {
      const hooks = await WebhookReceiver.start();
      try {
        const owner = await app.newClient();
        const made = await owner.request('/webhooks', { body: { url: hooks.url(), events: ['chat.created'] } });
        expect(made.status).toBe(201);
        await owner.createChat();
        const sent = await receiver.find(({ name }) => name === 'POST webhook');
        expect(sent).toMatchObject({
          parent: null,
          attributes: { 'chat_service.event': 'chat.created', 'http.response.status_code': 200 },
          links: [{ kind: 'caused' }],
        });
        const cause = await receiver.find(({ spanId }) => spanId === sent.links[0]?.spanId);
        expect(cause.name).toBe('POST /api/v1/chat');
        expect(hooks.deliveries[0]?.headers.traceparent).toBe(`00-${sent.traceId}-${sent.spanId}-01`);
      } finally {
        await hooks.stop();
      }
    });

    it('are no reason for a request to wait or fail, whatever the receiver does', async () => {
      for (const answer of ['hang', 'fail', 'garbage'] as const) {
        receiver.answer = answer;
        const chatId = await chatWith();
        const began = performance.now();
        expect((await client.send(chatId, uniqueContent())).status).toBe(200);
        expect(performance.now() - began).toBeLessThan(10_000);
      }
      receiver.answer = 'ok';
      const metrics = await (await fetch(`${app.origin}/metrics`)).text();
      expect(metrics).toMatch(/^otel_spans_exported_total [1-9]/m);
      await eventually(async () =>
        /^otel_spans_dropped_total\{reason="export_failed"\} [1-9]/m.test(
          await (await fetch(`${app.origin}/metrics`)).text(),
        ),
      );
    });
  });

  describe('traces in JSON with content', () => {
    it('contain what the model saw and wrote, and nothing else does', async () => {
      const receiver = await TraceReceiver.start();
      const app = await startChatApp({
        ...tracedBy(receiver),
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'span_only',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        TRACE_USER: 'none',
        TRACE_CONTEXT: 'link',
        TRACE_DATABASE: 'true',
      });
      try {
        const client = await app.newClient();
        const { id } = await client.createChat();
        const key = uniqueContent(CANARY);
        await app.model.script({ key, steps: [{ text: `Said ${'é'.repeat(20_000)}` }] });
        const trace = 'c'.repeat(32);
        const headers = { traceparent: `00-${trace}-${'d'.repeat(16)}-01` };
        const [, reply] = (await client.send(id, key, { headers })).body;
        const model = await receiver.find(({ attributes }) => attributes['chat_service.kind'] === 'reply');
        expect(model.attributes['gen_ai.input.messages']).toContain(key);
        const output = String(model.attributes['gen_ai.output.messages']);
        expect(output).toContain('Said éé');
        expect(Buffer.byteLength(output)).toBeLessThanOrEqual(16_384);
        expect(Buffer.byteLength(output)).toBeGreaterThan(16_380);
        const exchange = await receiver.find(({ attributes }) => attributes['chat_service.message.id'] === reply.id);
        expect(exchange.attributes).not.toHaveProperty('user.id');
        expect(JSON.stringify(exchange.attributes)).not.toContain(CANARY);
        const request = await receiver.find(({ name }) => name === 'POST /api/v1/chat/message');
        expect(request.parent).toBeNull();
        expect(request.traceId).not.toBe(trace);
        expect(request.links).toEqual([{ traceId: trace, spanId: 'd'.repeat(16), kind: 'request' }]);
        const statement = await receiver.find(({ name }) => /^INSERT chat_messages$/.test(name));
        expect(statement.attributes['db.query.text']).toContain('VALUES (?');
        expect(String(statement.attributes['db.query.text'])).not.toContain(CANARY);
        // A guard may mask or block output only after the model has written it.
        const remove = await addGuard(app, { name: 'output', stages: ['output'], rules: ['email'] });
        const guarded = uniqueContent('guarded');
        await app.model.script({ key: guarded, steps: [{ text: 'Write to bob@mail.com.' }] });
        const other = await client.createChat();
        expect((await client.send(other.id, guarded)).body[1].content).toBe('Write to [EMAIL_1].');
        const hidden = await receiver.find(({ attributes }) =>
          String(attributes['gen_ai.input.messages']).includes(guarded),
        );
        expect(hidden.attributes).not.toHaveProperty(['gen_ai.output.messages']);
        await remove();
      } finally {
        await app.close();
        await receiver.stop();
      }
    });
  });
} else {
  describe('traces on an old Node.js', () => {
    it('are refused at start, with the reason', async () => {
      await expect(startTestApp({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' })).rejects.toThrow(
        `Traces need Node.js 22.15 or later, and this is ${process.versions.node}.`,
      );
    });
  });
}
