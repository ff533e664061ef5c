import { Database } from '../../src/database/database';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { resultsOf, useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';

describe('agents that call tools, in a restored backup', () => {
  const { app, client, tools, chatWith, calling, saying, actionsOf, decide } = useActing({ RECOVER: 'ask' });

  afterEach(() => tools.open());

  it('require the outcome of all approved or running calls with effects, even idempotent ones', async () => {
    tools.hold();
    const chatId = await chatWith([{ name: 'note', policy: 'auto' }, { name: 'calculate' }]);
    const key = uniqueContent();
    const notes = Array.from({ length: 9 }, () => ['note', { what: key }] as [string, unknown]);
    await calling(key, ...notes, ['calculate', { expression: '1' }]);
    await saying(key, 'Done.');
    const stream = await client.stream(chatId, key);
    // Eight run at once: the ninth, and the calculation, are approved.
    await eventually(() => tools.keys.length === 8);
    const messageId = Number(stream.header('x-message-id'));
    await app.app
      .get(Database)
      .write((manager) => manager.update(MessageEntity, { id: messageId }, { ownerId: 'dead' }));
    const reply = await client.waitForEnd(chatId);
    tools.open();
    expect(reply).toMatchObject({ id: messageId, status: 'requires_action' });
    expect(resultsOf(reply)).toEqual(['{"result":"1","exact":true}']);
    const actions = await actionsOf(chatId);
    expect(actions.map(({ kind, tool }) => `${kind} ${tool}`)).toEqual(Array.from({ length: 9 }, () => 'unknown note'));
    for (const { id, arguments_hash } of actions) {
      await decide(chatId, id, { decision: 'done', text: 'Noted.', arguments_hash });
    }
    expect(await client.waitForEnd(chatId)).toMatchObject({ status: 'completed', content: 'Let me see. Done.' });
    expect(tools.keys).toHaveLength(8);
  });
});
