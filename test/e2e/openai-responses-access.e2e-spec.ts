import { uniqueContent } from '../support/chat-client';
import type { ModelScript } from '../support/model-server/model-server';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';

describe('a stored response', () => {
  const app = useChatApp();
  const user = useClient(app);
  const other = useClient(app);
  let client: ResponsesClient;

  beforeEach(() => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
  });

  async function scripted(script: Omit<ModelScript, 'key'>): Promise<string> {
    const key = uniqueContent('access');
    await app.model.script({ key, ...script });
    return key;
  }

  const notFound = async (path: string, method: string, as: ResponsesClient) =>
    expectOpenAiFailure(await as.request(path, { method }), 404, 'RESPONSE_NOT_FOUND', 'response_id');

  it('belongs to its owner only', async () => {
    const { id, conversation } = await client.create({ input: await scripted({ steps: [{ text: 'Mine' }] }) });
    const stranger = new ResponsesClient(app.origin, other.token, client.model);
    await notFound(`/responses/${id}`, 'GET', stranger);
    await notFound(`/responses/${id}?stream=true`, 'GET', stranger);
    await notFound(`/responses/${id}/input_items`, 'GET', stranger);
    await notFound(`/responses/${id}/cancel`, 'POST', stranger);
    await notFound(`/responses/${id}`, 'DELETE', stranger);
    expectOpenAiFailure(
      await stranger.post({ input: 'x', previous_response_id: id }),
      404,
      'previous_response_not_found',
      'previous_response_id',
    );
    expectOpenAiFailure(
      await stranger.post({ input: 'x', conversation: conversation?.id }),
      404,
      'CONVERSATION_NOT_FOUND',
      'conversation',
    );
    const item = (await client.get(id)).output[0]?.id;
    const named = await stranger.post({ input: [{ type: 'item_reference', id: item }] });
    expectOpenAiFailure(named, 404, 'ITEM_NOT_FOUND', 'input[0].id');
  });

  it.each([
    'resp_0',
    'resp_-1',
    'resp_1e3',
    'resp_99999999999',
    'msg_1',
    'resp_',
    '%00',
    "resp_1'--",
    'resp_01',
    '..%2F',
  ])('has no such id as %s', async (id) => {
    const answer = await client.request(`/responses/${id}`);
    expect([400, 404]).toContain(answer.status);
    expect(answer.body).toHaveProperty('error.type', 'invalid_request_error');
  });

  it.each(['-1', 'x', '1.5', '1e3'])('is not joined after %s', async (place) => {
    const { id } = await client.create({ input: await scripted({ steps: [{ text: 'Hi' }] }) });
    const answer = await client.request(`/responses/${id}?stream=true&starting_after=${place}`);
    expect([answer.status, (answer.body as { error: { param: string } }).error.param]).toEqual([400, 'starting_after']);
  });
});
