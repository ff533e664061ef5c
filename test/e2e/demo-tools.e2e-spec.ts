import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import { resultsOf, useActing } from '../support/acting';

describe('the demo provider with tools', () => {
  const { client, tools, chatWith, actionsOf, decide } = useActing();

  const demo = { provider: 'demo' };

  it('calls a tool that the message names, with the object after its name, and shows the result', async () => {
    const chatId = await chatWith([{ name: 'look', policy: 'auto' }], demo);
    const [, reply] = (await client.send(chatId, 'Please call look with {"what": "the {blue} sea"} now.')).body;
    expect(resultsOf(reply)).toEqual(['Seen the {blue} sea.']);
    expect(reply).toMatchObject({
      status: 'completed',
      content: expect.stringContaining('look: Seen the {blue} sea.'),
    });
    expect(reply.content).toContain('no language model was asked');
  });

  it('asks for approval of a call with an effect, and shows the result afterwards', async () => {
    const chatId = await chatWith([{ name: 'book' }], demo);
    await client.send(chatId, 'call book with {"what": "room 7 for the demo"}');
    const [action] = (await actionsOf(chatId)) as [ActionDto];
    expect(action).toMatchObject({ kind: 'approve', tool: 'book', arguments: { what: 'room 7 for the demo' } });
    expect(tools.booked).not.toContain('room 7 for the demo');
    const [, reply] = (await decide(chatId, action.id, { decision: 'approve', arguments_hash: action.arguments_hash }))
      .body;
    expect(tools.booked).toContain('room 7 for the demo');
    expect(reply.content).toContain('book: Booked room 7 for the demo.');
  });

  it('calls several tools in the order of the message', async () => {
    const uses = ['look', 'note'].map((name) => ({ name, policy: 'auto' }));
    const chatId = await chatWith(uses, demo);
    const [, reply] = (await client.send(chatId, 'note {"what": "milk"}, then look {"what": "outside"}')).body;
    expect(resultsOf(reply)).toEqual(['Noted milk.', 'Seen outside.']);
  });

  it('shows what is wrong with arguments that the tool does not take', async () => {
    const chatId = await chatWith([{ name: 'look', policy: 'auto' }], demo);
    const [, reply] = (await client.send(chatId, 'Call look.')).body;
    expect(reply.status).toBe('completed');
    expect(reply.content).toContain('what');
  });

  it.each(['Overlook it.', 'Is there a look_up?', 'Hello!'])('calls nothing for %p', async (content) => {
    const chatId = await chatWith([{ name: 'look', policy: 'auto' }], demo);
    const [, reply] = (await client.send(chatId, content)).body;
    expect(resultsOf(reply)).toEqual([]);
    expect(reply.content).toContain(content);
  });
});
