// @databases mariadb: two instances share one database
import { Database } from '../../src/database/database';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import { ReplyResumer } from '../../src/modules/generation/acting/reply-resumer';
import { RoundStore } from '../../src/modules/generation/acting/round.store';
import { LostReplies } from '../../src/modules/generation/cluster/lost-replies';
import { ReplyRegistry } from '../../src/modules/generation/reply/reply-registry';
import { ToolRegistry } from '../../src/modules/tool/registry/tool-registry';
import { resultsOf, useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';

describe('agents that call tools', () => {
  const { app, client, tools, chatWith, calling, saying, actionsOf, decide, waiting } = useActing();

  describe('whose instance is killed', () => {
    afterEach(() => tools.open());

    /**
     * The reply belongs to a dead instance. This instance takes it over, and its own earlier run may write nothing
     * more.
     */
    const kill = (messageId: number) =>
      app.app.get(Database).write((manager) => manager.update(MessageEntity, { id: messageId }, { ownerId: 'dead' }));

    async function begun(tool: string) {
      const chatId = await chatWith([{ name: tool, policy: 'auto' }]);
      const key = uniqueContent();
      await calling(key, [tool, { what: key }]);
      await saying(key, 'Done.');
      const stream = await client.stream(chatId, key);
      const messageId = Number(stream.header('x-message-id'));
      return { chatId, key, stream, messageId };
    }

    it('repeat a call that is idempotent, with the same key', async () => {
      tools.hold();
      const { chatId, messageId } = await begun('note');
      const ofCall = () => tools.keys.filter((key) => key === `call_${messageId}_0`);
      await eventually(() => Promise.resolve(ofCall().length === 1 || undefined));
      await kill(messageId);
      await eventually(() => Promise.resolve(ofCall().length === 2 || undefined));
      // Another instance that recovers from the same crash comes too late.
      await app.app.get(ReplyResumer).takeAbandoned(messageId, 'dead');
      tools.open();
      expect(await client.waitForEnd(chatId)).toMatchObject({
        id: messageId,
        status: 'completed',
        content: 'Let me see. Done.',
      });
      expect(ofCall()).toHaveLength(2);
    });

    it.each<[string, string]>([
      ['look', 'failed'],
      ['note', 'unknown'],
    ])('attempt a call of %s three times, after which it is %s', async (tool, state) => {
      tools.hold();
      const { chatId, messageId } = await begun(tool);
      const ofCall = () => tools.keys.filter((key) => key === `call_${messageId}_0`);
      for (const attempt of [1, 2, 3]) {
        await eventually(() => ofCall().length === attempt);
        await kill(messageId);
      }
      if (state === 'failed') {
        expect(await client.waitForEnd(chatId)).toMatchObject({ status: 'completed', content: 'Let me see. Done.' });
      } else {
        await eventually(async () => (await client.read(chatId)).active_message_id === null);
        expect(await actionsOf(chatId)).toMatchObject([{ kind: 'unknown', tool }]);
      }
      const reply = (await client.read(chatId)).messages.at(-1);
      expect(reply?.parts).toContainEqual(expect.objectContaining({ name: tool, state }));
      expect(ofCall()).toHaveLength(3);
    });

    it('do not count an attempt that a shutdown interrupts', async () => {
      tools.hold();
      const { chatId, messageId } = await begun('look');
      const ofCall = () => tools.keys.filter((key) => key === `call_${messageId}_0`);
      for (const attempt of [1, 2, 3, 4]) {
        await eventually(() => ofCall().length === attempt);
        app.app.get(ReplyRegistry).get(messageId)?.abort('interrupted');
        await eventually(() => app.app.get(ReplyRegistry).get(messageId) === undefined);
      }
      tools.open();
      expect(await client.waitForEnd(chatId)).toMatchObject({ status: 'completed', content: 'Let me see. Done.' });
    });

    it('continue when an instance stores the first calls while another one declares it dead', async () => {
      const chatId = await chatWith([{ name: 'note', policy: 'auto' }]);
      const key = uniqueContent();
      const toolCall = { id: 'same', name: 'note', arguments: JSON.stringify({ what: key }) };
      await app.model.script({ key, times: 1, steps: [{ text: 'It' }, { hold: key }, { toolCall }] });
      await saying(key, 'Done.');
      const stream = await client.stream(chatId, key);
      await stream.until('It');
      const resumer = app.app.get(ReplyResumer);
      const takeAbandoned = resumer.takeAbandoned.bind(resumer);
      const store = app.app.get(RoundStore);
      jest.spyOn(resumer, 'takeAbandoned').mockImplementationOnce(async (messageId, ownerId) => {
        const hasRun = await takeAbandoned(messageId, ownerId);
        tools.hold();
        await app.model.release(key);
        await eventually(() => store.find(messageId));
        return hasRun;
      });
      await kill(Number(stream.header('x-message-id')));
      await eventually(async () => (await store.find(Number(stream.header('x-message-id'))))?.epoch === 2);
      tools.open();
      expect(await client.waitForEnd(chatId)).toMatchObject({ status: 'completed' });
    });

    it.each(['sse', 'ui_message', 'text'])(
      'redirect readers to the instance that continues the reply: %s',
      async (format) => {
        tools.hold();
        const chatId = await chatWith([{ name: 'note', policy: 'auto' }]);
        const key = uniqueContent();
        await calling(key, ['note', { what: key }]);
        await saying(key, 'Done.');
        const stream = await client.stream(chatId, key, { query: `stream=true&stream_format=${format}` });
        const messageId = Number(stream.header('x-message-id'));
        const ofCall = () => tools.keys.filter((one) => one === `call_${messageId}_0`);
        await eventually(() => ofCall().length === 1);
        await kill(messageId);
        await eventually(() => ofCall().length === 2);
        tools.open();
        const text = await stream.rest();
        expect(await client.waitForEnd(chatId)).toMatchObject({ id: messageId, status: 'completed' });
        expect(text).not.toContain('interrupted');
        expect(text).toMatch(/"completed"|"finish"/);
        expect(text.match(/Done\./g)).toHaveLength(1);
        expect(text.match(/Noted /g) ?? []).toHaveLength(format === 'text' ? 0 : 1);
      },
    );

    it('answer a blocking request when the reply has finished, on any instance', async () => {
      tools.hold();
      const chatId = await chatWith([{ name: 'note', policy: 'auto' }]);
      const key = uniqueContent();
      await calling(key, ['note', { what: key }]);
      await saying(key, 'Done.');
      const before = tools.keys.length;
      const answer = client.send(chatId, key);
      await eventually(() => tools.keys.length === before + 1);
      await kill((await client.read(chatId)).active_message_id ?? 0);
      await eventually(() => tools.keys.length === before + 2);
      tools.open();
      expect((await answer).body[1]).toMatchObject({ status: 'completed', content: 'Let me see. Done.' });
    });

    it('disconnect readers who received text outside the stored reply, without an end', async () => {
      tools.hold();
      const { chatId, stream, messageId } = await begun('note');
      const ofCall = () => tools.keys.filter((one) => one === `call_${messageId}_0`);
      await eventually(() => ofCall().length === 1);
      const lost = app.app.get(ReplyRegistry).get(messageId);
      await kill(messageId);
      await eventually(() => ofCall().length === 2);
      lost?.append('What nobody has stored.');
      tools.open();
      await expect(stream.rest()).rejects.toThrow();
      expect(stream.received).not.toContain('__TOKEN_USAGE__');
      expect(await client.waitForEnd(chatId)).toMatchObject({ status: 'completed' });
    });

    it("repeat no other call without a person's approval", async () => {
      tools.hold();
      const { chatId, key, messageId } = await begun('book');
      await eventually(() => Promise.resolve(tools.booked.includes(key) || undefined));
      await kill(messageId);
      const [action] = await eventually(async () => {
        const open = await actionsOf(chatId);
        return open.length > 0 ? open : undefined;
      });
      tools.open();
      expect(action).toMatchObject({ kind: 'unknown', tool: 'book' });
      const { arguments_hash } = action as ActionDto;
      await eventually(async () => ((await client.read(chatId)).active_message_id === null ? true : undefined));
      const { messages } = await client.read(chatId);
      expect(messages.at(-1)?.parts).toContainEqual(expect.objectContaining({ name: 'book', state: 'unknown' }));
      const { body } = await decide(chatId, action?.id ?? 0, { decision: 'done', text: 'Booked.', arguments_hash });
      expect(body[1]).toMatchObject({ id: messageId, status: 'completed' });
      expect(resultsOf(body[1])).toEqual(['Booked.']);
      expect(tools.booked.filter((booked) => booked === key)).toHaveLength(1);
    });

    it('start a call only once if both instances were about to start it', async () => {
      const { chatId, action, reply, what } = await waiting();
      const registry = app.app.get(ToolRegistry);
      const find = registry.find.bind(registry);
      const looks: (() => void)[] = [];
      // For each instance, the first lookup is for the tools offered to its model, the second one for the call.
      let count = 0;
      jest.spyOn(registry, 'find').mockImplementation(async (...given) => {
        if (++count % 2 === 0) await new Promise<void>((resolve) => looks.push(resolve));
        return find(...given);
      });
      const lost = jest.spyOn(app.app.get(LostReplies), 'handOver');
      const word = { decision: 'approve', arguments_hash: action.arguments_hash };
      const decided = decide(chatId, action.id, word);
      await eventually(() => looks.length === 1);
      await kill(reply.id);
      await eventually(() => looks.length === 2);
      looks[0]?.();
      await eventually(() => lost.mock.calls.length);
      looks[1]?.();
      expect((await decided).body[1]).toMatchObject({ id: reply.id, status: 'completed' });
      expect(tools.booked.filter((booked) => booked === what)).toHaveLength(1);
    });

    it('return the running reply for a message that is repeated with its key', async () => {
      tools.hold();
      const chatId = await chatWith([{ name: 'note', policy: 'auto' }]);
      const key = uniqueContent();
      await calling(key, ['note', { what: key }]);
      await saying(key, 'Done.');
      const headers = { 'idempotency-key': key.replace(/\W/g, '-') };
      const stream = await client.stream(chatId, key, { headers });
      const messageId = Number(stream.header('x-message-id'));
      const ofCall = () => tools.keys.filter((one) => one === `call_${messageId}_0`);
      await eventually(() => ofCall().length === 1);
      await kill(messageId);
      await eventually(() => ofCall().length === 2);
      const repeated = client.send(chatId, key, { headers });
      tools.open();
      expect((await repeated).body[1]).toMatchObject({ id: messageId, status: 'completed' });
      expect((await client.read(chatId)).messages).toHaveLength(2);
    });

    it('continue after interrupted calls, however often they are taken over', async () => {
      const chatId = await chatWith([{ name: 'calculate' }, { name: 'book' }]);
      const key = uniqueContent();
      const cut = { toolCall: { id: 'same', name: 'book', arguments: JSON.stringify({ what: `${key} cut` }) } };
      await calling(key, ['calculate', { expression: '1' }]);
      await app.model.script({ key, times: 1, steps: [{ text: 'It' }, cut, { hold: key }] });
      await calling(key, ['book', { what: key }]);
      await saying(key, 'One.');
      const stream = await client.stream(chatId, key);
      await stream.until('It');
      const cutPart = async () =>
        (await client.read(chatId)).messages[1]?.parts?.find(
          (part) => part.type === 'tool_call' && part.arguments.includes('cut'),
        );
      await eventually(cutPart);
      await kill(Number(stream.header('x-message-id')));
      await app.model.waitFor('received', { key, count: 3 });
      await app.model.release(key);
      expect(await client.waitForEnd(chatId)).toMatchObject({ status: 'requires_action' });
      const [action] = (await actionsOf(chatId)) as [ActionDto];
      const { body } = await decide(chatId, action.id, { decision: 'approve', arguments_hash: action.arguments_hash });
      expect(body[1]).toMatchObject({ status: 'completed', finish_reason: 'stop' });
      expect(body[1].content).toMatch(/One\.$/);
      expect(await cutPart()).toMatchObject({ state: 'cancelled' });
      expect(tools.booked.filter((what) => what.startsWith(key))).toEqual([key]);
    });

    it('store nothing for a reply that has already finished', async () => {
      const chatId = await chatWith([{ name: 'book', policy: 'auto' }]);
      const key = uniqueContent();
      const toolCall = { id: 'same', name: 'book', arguments: JSON.stringify({ what: key }) };
      await app.model.script({ key, times: 1, steps: [{ text: 'It' }, { hold: key }, { toolCall }] });
      const stream = await client.stream(chatId, key);
      await stream.until('It');
      const id = Number(stream.header('x-message-id'));
      await app.app.get(Database).write((manager) => manager.update(MessageEntity, { id }, { status: 'interrupted' }));
      await app.model.release(key);
      await eventually(() => app.app.get(ReplyRegistry).get(id) === undefined);
      expect([await app.app.get(RoundStore).find(id), tools.booked.includes(key)]).toEqual([null, false]);
    });

    it('call the model again if its answer was incomplete', async () => {
      const chatId = await chatWith([{ name: 'calculate' }]);
      const key = uniqueContent();
      await calling(key, ['calculate', { expression: '1' }]);
      await app.model.script({ key, times: 1, steps: [{ text: 'It' }, { hold: key }, { text: ' is lost.' }] });
      await saying(key, 'One.');
      const stream = await client.stream(chatId, key);
      await stream.until('It');
      await kill(Number(stream.header('x-message-id')));
      await app.model.waitFor('received', { key, count: 3 });
      await app.model.release(key);
      const reply = await client.waitForEnd(chatId);
      expect(reply).toMatchObject({ status: 'completed' });
      expect(reply.content.endsWith('One.')).toBe(true);
      expect(resultsOf(reply)).toHaveLength(1);
    });
  });
});
