import { uniqueContent } from '../support/chat-client';
import { CompletionCaller } from '../support/completion-stream';
import { call, expectFailure } from '../support/http';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';

const MODEL = 'General assistant';

describe('a request as many OpenAI-compatible clients send it', () => {
  const app = useChatApp();
  const user = useClient(app);

  const chatOf = (content: string) => ({ model: MODEL, messages: [{ role: 'user', content }] });

  it.each(['/openai/v1//chat/completions', '//openai/v1/chat/completions', '/openai//v1///chat//completions?a=//b'])(
    'has repeated slashes in its path: %s',
    async (path) => {
      const body = chatOf(uniqueContent());
      const answer = await call(`${app.origin}${path}`, { token: user.token, body });
      expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ object: 'chat.completion' })]);
      expect(answer.headers.get('x-ratelimit-limit')).toBeTruthy();
      expectOpenAiFailure(await call(`${app.origin}${path}`, { body }), 401, 'invalid_api_key');
      expectOpenAiFailure(await call(`${app.origin}${path}`, { token: user.token }), 405, 'METHOD_NOT_ALLOWED');
    },
  );

  it('keeps repeated slashes that belong to another API', async () => {
    expectFailure(await call(`${app.origin}/api/v1//chat`, { token: user.token }), 404, 'NOT_FOUND');
    expectFailure(await call(`${app.origin}//api/v1/openai/v1/models`, { token: user.token }), 404, 'NOT_FOUND');
  });

  it('has null for an earlier reply without text', async () => {
    const content = uniqueContent();
    const caller = new CompletionCaller(app.origin, user.token);
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: null },
    ];
    expect((await caller.complete({ model: MODEL, messages: [...messages, { role: 'user', content }] })).status).toBe(
      200,
    );
    const [completion] = await app.model.requests(content);
    expect(completion?.body.messages.slice(1)).toEqual([{ role: 'user', content: `Hello\n\n${content}` }]);

    const responses = new ResponsesClient(app.origin, user.token, MODEL);
    const asked = uniqueContent();
    await responses.create({ input: [...messages, { role: 'user', content: asked }] });
    const [response] = await app.model.requests(asked);
    expect(response?.body.messages.slice(1)).toEqual([{ role: 'user', content: `Hello\n\n${asked}` }]);
    const { status, body } = await responses.request<{ id: string }>('/conversations', {
      body: { items: [...messages, { role: 'assistant', content: 'Yes?' }] },
    });
    expect(status).toBe(200);
    const { data } = await responses.items(`/conversations/${body.id}/items?order=asc`);
    expect(data.map((item) => 'role' in item && item.role)).toEqual(['user', 'assistant']);
  });

  it.each(['utf8', 'UTF8', '"utf8"', '"Utf-8"'])('names its charset %s', async (charset) => {
    const headers = { 'content-type': `application/json; charset=${charset}` };
    const content = uniqueContent('Grüße');
    const raw = JSON.stringify(chatOf(content));
    const url = `${app.origin}/openai/v1/chat/completions`;
    expect((await call(url, { token: user.token, raw, headers })).status).toBe(200);
    expect((await app.model.requests(content))[0]?.body.messages.at(-1)).toEqual({ role: 'user', content });
    expect((await call(`${app.url}/chat`, { token: user.token, raw: '{"title":"Grüße"}', headers })).status).toBe(201);
  });
});
