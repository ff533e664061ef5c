import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestService, type TestService } from 'chat-service/testing';
import { createChatClient } from 'chat-service-client';
import { features } from './features';

describe('the product', () => {
  let service: TestService;

  before(async () => {
    service = await startTestService({ features });
  });
  after(() => service.close());

  it('streams the reply of an agent', async () => {
    const { token } = await service.newUser();
    await service.model.script({ key: 'Hi', steps: [{ text: 'Good ' }, { text: 'morning.' }] });
    const client = createChatClient({ baseUrl: service.origin, accessToken: token });
    const chat = await client.chat.create({ body: {} });
    let reply = '';
    for await (const event of client.send({ chat_id: chat.id, content: 'Hi' })) {
      if (event.type === 'delta') reply += event.text;
    }
    assert.equal(reply, 'Good morning.');
  });
});
