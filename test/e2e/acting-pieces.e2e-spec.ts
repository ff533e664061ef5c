import { Database } from '../../src/database/database';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { ReplyPieceEntity } from '../../src/modules/generation/pieces/reply-piece.entity';
import { resultsOf, useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';

describe('long replies of agents that call tools', () => {
  const { app, client, tools, chatWith, calling, saying, actionsOf, decide } = useActing();

  afterEach(() => tools.open());

  it('keep their calls after they waited, and their instance was killed', async () => {
    const chatId = await chatWith([{ name: 'huge' }, { name: 'book' }, { name: 'note', policy: 'auto' }]);
    const key = uniqueContent();
    // Large enough for the rest to be stored in pieces.
    await calling(key, ['huge', { what: key }], ['book', { what: key }]);
    const toolCall = { id: 'same', name: 'note', arguments: JSON.stringify({ what: key }) };
    await app.model.script({ key, times: 1, steps: [{ hold: key }, { text: 'Let me see. ' }, { toolCall }] });
    await saying(key, 'Done.');
    await client.send(chatId, key);
    const [action] = await actionsOf(chatId);
    const { id = 0, message_id: messageId = 0, arguments_hash } = action ?? {};
    const database = app.app.get(Database);
    expect(await database.repository(ReplyPieceEntity).countBy({ messageId })).toBe(0);
    const decided = decide(chatId, id, { decision: 'approve', arguments_hash });
    await app.model.waitFor('received', { key, count: 2 });
    tools.hold();
    await app.model.release(key);
    await eventually(() => tools.keys.includes(`call_${messageId}_2`));
    await eventually(() => database.repository(ReplyPieceEntity).countBy({ messageId }));
    await database.write((manager) => manager.update(MessageEntity, { id: messageId }, { ownerId: 'dead' }));
    await eventually(() => tools.keys.filter((one) => one === `call_${messageId}_2`).length === 2);
    tools.open();
    await decided;
    const reply = await client.waitForEnd(chatId);
    expect(reply).toMatchObject({ status: 'completed', content: 'Let me see. Let me see. Done.' });
    expect(resultsOf(reply).slice(1)).toEqual([`Booked ${key}.`, `Noted ${key}.`]);
    expect(tools.booked.filter((what) => what === key)).toHaveLength(1);
  });
});
