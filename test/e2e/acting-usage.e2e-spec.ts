import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { WaitingReplies } from '../../src/modules/generation/acting/waiting-replies';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

describe('the reported usage of a reply that calls tools', () => {
  const { app, admin, client, tools, chatWith, actionsOf, decide } = useActing({ COST_IN_RESPONSES: 'true' });

  const ROUND = { total_tokens: 120, is_estimated: false };

  /** A reply whose provider reports the usage of each round; the model has no price, or the test's. */
  async function asking(tool: string, fields: object = {}, model = uniqueContent('unpriced').replaceAll(' ', '-')) {
    const chatId = await chatWith([{ name: tool }], { model, ...fields });
    const key = uniqueContent();
    const given = JSON.stringify(tool === 'calculate' ? { expression: '1' } : { what: key });
    await app.model.script({ key, times: 1, steps: [{ toolCall: { name: tool, arguments: given } }], usage: USAGE });
    await app.model.script({ key, steps: [{ text: 'Done.' }], usage: USAGE });
    return { chatId, key };
  }

  const readOf = async (chatId: number): Promise<MessageDto> =>
    (await client.request<MessageDto[]>(`/chat/${chatId}/messages`)).body.at(-1) as MessageDto;

  it("is the provider's, without a price, while it waits and when it has finished", async () => {
    const { chatId, key } = await asking('book');
    const stream = await client.stream(chatId, key);
    const { trailer } = await stream.plain();
    expect(trailer).toMatchObject({ status: 'requires_action', ...ROUND, cost: null });
    expect((await readOf(chatId)).token_usage).toMatchObject({ ...ROUND, cost: null });
    const [action] = await actionsOf(chatId);
    const approved = { decision: 'approve', arguments_hash: action?.arguments_hash };
    const { body } = await decide(chatId, action?.id ?? 0, approved);
    expect(body[1].token_usage).toMatchObject({ total_tokens: 240, is_estimated: false, cost: null });
    expect((await readOf(chatId)).token_usage).toEqual(body[1].token_usage);
  });

  it('is the same with a price', async () => {
    await admin.post('/admin/prices', { model: 'priced-rounds', input: '1', output: '2' });
    const { chatId, key } = await asking('book', {}, 'priced-rounds');
    const { body } = await client.send(chatId, key);
    expect(body[1].token_usage).toMatchObject({ ...ROUND, cost: '0.00014' });
  });

  it('is the same if a limit ends it', async () => {
    const { chatId, key } = await asking('calculate', { max_rounds: 1 });
    const { body } = await client.send(chatId, key);
    expect(body[1]).toMatchObject({ finish_reason: 'tool_limit', token_usage: { ...ROUND, cost: null } });
  });

  it('is the same if it is stopped during a call', async () => {
    tools.hold();
    const { chatId, key } = await asking('note', { tools: [{ name: 'note', policy: 'auto' }] });
    await client.stream(chatId, key);
    await eventually(() => Promise.resolve(tools.keys.length > 0));
    await client.stop(chatId);
    tools.open();
    const reply = await client.waitForEnd(chatId);
    expect(reply).toMatchObject({ status: 'stopped', token_usage: { ...ROUND, cost: null } });
  });

  it('is the same if the question expires, or a user stops it', async () => {
    const [late, stopped] = [await asking('book'), await asking('book')];
    await client.send(late.chatId, late.key);
    await client.send(stopped.chatId, stopped.key);
    await client.stop(stopped.chatId);
    app.advanceClock(86_401_000);
    await app.app.get(WaitingReplies).expire();
    app.resetClock();
    expect(await readOf(late.chatId)).toMatchObject({
      finish_reason: 'action_expired',
      token_usage: { ...ROUND, cost: null },
    });
    expect(await readOf(stopped.chatId)).toMatchObject({ status: 'stopped', token_usage: { ...ROUND, cost: null } });
  });
});
