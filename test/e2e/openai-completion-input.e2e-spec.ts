import { Database } from '../../src/database/database';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { UsageEntryEntity } from '../../src/modules/usage/usage-entry.entity';
import { createAdmin } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { CompletionCaller } from '../support/completion-stream';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';
import { COMPLETION_FAULTS, USER } from './openai-completion.cases';

describe('invalid chat completions requests', () => {
  const app = useChatApp();
  const client = useClient(app);
  let model: string;

  beforeAll(async () => {
    model = (await createAgent(agentRequests(app, (await createAdmin(app)).token), { status: 'active' })).name;
  });

  const caller = () => new CompletionCaller(app.origin, client.token);
  const countRows = async () => [
    await app.app.get(Database).repository(MessageEntity).count(),
    await app.app.get(Database).repository(UsageEntryEntity).count(),
  ];

  it('are 400, name the parameter, and store nothing', async () => {
    const rows = await countRows();
    const asked = await app.model.requests('Hello');
    for (const [body, code, param] of COMPLETION_FAULTS) {
      for (const stream of 'stream' in body ? [undefined] : [false, true]) {
        const answer = await caller().complete({ model, ...(stream !== undefined && { stream }), ...body });
        expect({ body, error: answer.body }).toMatchObject({ body, error: { error: { code, param } } });
        expectOpenAiFailure(answer, 400, code, param);
      }
    }
    expect(await countRows()).toEqual(rows);
    expect(await app.model.requests('Hello')).toEqual(asked);
  });

  it('are 400, 413, 415 for unreadable bodies', async () => {
    const json = { 'content-type': 'application/json' };
    const post = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
      caller().complete({}, { body: undefined, raw, headers });
    expectOpenAiFailure(await post('{'), 400, 'invalid_json');
    expectOpenAiFailure(await post('[]'), 400, 'invalid_type');
    expectOpenAiFailure(await post('"text"'), 400, 'invalid_type');
    expectOpenAiFailure(await post('['.repeat(40)), 400, 'invalid_value');
    expectOpenAiFailure(await post('{}', { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expectOpenAiFailure(await post(new Uint8Array(28 * 1_048_576 + 1)), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('are accepted if harmless: null, disabled options, and unknown fields', async () => {
    const nothing = { n: 1, logprobs: false, top_logprobs: 0, logit_bias: {}, modalities: ['text'], stop: [] };
    const absent = Object.fromEntries(
      [
        'temperature',
        'top_p',
        'max_tokens',
        'stop',
        'seed',
        'tools',
        'tool_choice',
        'response_format',
        'audio',
        'n',
      ].map((name) => [name, null]),
    );
    const others = { store: true, metadata: { a: 'b' }, service_tier: 'flex', prediction: {}, user: 'u', x: 1 };
    for (const body of [
      nothing,
      absent,
      others,
      { tool_choice: 'auto' },
      { parallel_tool_calls: true },
      { tools: [] },
    ]) {
      const content = uniqueContent();
      const answer = await caller().complete({ model, messages: [{ role: 'user', content }], ...body });
      expect({ body, status: answer.status }).toEqual({ body, status: 200 });
      const [request] = await app.model.requests(content);
      expect(Object.keys(request?.body ?? {}).sort()).toEqual(['messages', 'model', 'stream', 'stream_options']);
    }
  });

  it('report models that cannot be used', async () => {
    expectOpenAiFailure(await caller().complete({ model: 'gpt-5', messages: [USER] }), 404, 'model_not_found', 'model');
    expectOpenAiFailure(await caller().complete({ messages: [USER] }), 400, 'missing_required_parameter', 'model');
  });
});
