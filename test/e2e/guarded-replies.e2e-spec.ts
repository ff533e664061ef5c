// @databases mariadb mysql: masks of a conversation have unique numbers
import * as v from 'valibot';
import { Database } from '../../src/database/database';
import { ChatRetention } from '../../src/modules/chat/chat.retention';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { GuardMaskEntity } from '../../src/modules/guard/masking/guard-mask.entity';
import { ToolRegistry } from '../../src/modules/tool/registry/tool-registry';
import { resultsOf, useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { addGuard, ADDRESS, finding, type ScriptedGuard, startScriptedGuard } from '../support/guarding';
import { made } from '../support/use-app';

const BAD: ScriptedGuard['rule'] = ({ text }) => ({ action: text.includes('forbidden') ? 'block' : 'allow' });

/** A text in pieces of a few characters. */
const pieces = (text: string): { text: string }[] => (text.match(/[^]{1,4}/g) ?? []).map((piece) => ({ text: piece }));

describe('replies with guards', () => {
  const { app, client, tools, chatWith, calling, saying, actionsOf, decide } = useActing({
    GUARD_ALLOWED_HOSTS: '127.0.0.1',
  });
  const guard = made(beforeAll, () => startScriptedGuard());
  /** What the tool `contact` returns. */
  let contact = '';
  const removals: (() => Promise<void>)[] = [];

  const add = async (fields: Partial<Parameters<typeof addGuard>[1]> = {}): Promise<void> => {
    guard.calls.length = 0;
    guard.rule = finding(ADDRESS, 'EMAIL');
    removals.push(await addGuard(app, { name: `guard-${removals.length}`, url: guard.url, ...fields }));
  };

  const send = async (chatId: number, key: string): Promise<MessageDto> => (await client.send(chatId, key)).body[1];

  beforeAll(() =>
    app.app
      .get(ToolRegistry)
      ['add'](
        { name: 'contact', description: 'contact', input: v.object({ of: v.string() }), readOnly: true },
        'test',
        () => contact,
      ),
  );
  afterEach(async () => {
    for (const remove of removals.splice(0)) {
      await remove();
    }
  });
  afterAll(() => guard.close());

  it('release text only with the characters that follow, and mask what was found', async () => {
    await add({ stages: ['output'] });
    const key = uniqueContent();
    const steps = [...pieces('Write to ann.lee@mail.com or to '), { hold: key }, ...pieces('bob@mail.com, please.')];
    await app.model.script({ key, steps });
    const chat = await client.createChat();
    const stream = await client.stream(chat.id, key);
    await app.model.waitFor('received', { key });
    await stream.until('Write to');
    expect('Write to [EMAIL_1] or to ').toContain(stream.received);
    const joined = await client.join(chat.id, 'offset=3');
    await app.model.release(key);
    const text = 'Write to [EMAIL_1] or to [EMAIL_2], please.';
    expect((await stream.plain()).text).toBe(text);
    expect((await joined.plain()).text).toBe(text.slice(3));
    const stored = await client.read(chat.id);
    expect(stored.messages.at(-1)).toMatchObject({ content: text, status: 'completed', finish_reason: 'stop' });
    expect(guard.calls.at(-1)).toMatchObject({ stage: 'output', part: 'text', final: true, chat_id: chat.id });
  });

  it('end with what was released when a guard blocks, and abort the request to the provider', async () => {
    await add({ stages: ['output'], mode: 'block' });
    guard.rule = BAD;
    const key = uniqueContent();
    const fine = 'All of this is fine. '.repeat(4);
    const steps = [...pieces(fine), { hold: key }, ...pieces('But this is forbidden. '), { hold: `${key}-never` }];
    await app.model.script({ key, steps });
    const chat = await client.createChat();
    const stream = await client.stream(chat.id, key);
    await stream.until('All of this');
    await app.model.release(key);
    const { text, trailer } = await stream.plain();
    expect(trailer).toMatchObject({ status: 'completed', finish_reason: 'content_filter', error: null });
    expect(`${fine}But`.startsWith(text)).toBe(true);
    expect(trailer.completion_tokens).toBeGreaterThan(20);
    expect((await client.read(chat.id)).messages.at(-1)?.content).toBe(text);
    await app.model.waitFor('aborted', { key });
  });

  it('are empty with status 200 when all of the output is blocked', async () => {
    await add({ stages: ['output'], window: 0 });
    guard.rule = BAD;
    const key = uniqueContent();
    await saying(key, 'All forbidden.');
    const { status, body } = await client.send((await client.createChat()).id, key);
    expect([status, body[1].content, body[1].finish_reason]).toEqual([200, '', 'content_filter']);
    expect(guard.calls).toHaveLength(1);
  });

  it('fail if a guard that must decide is not available', async () => {
    await add({ stages: ['output'] });
    guard.rule = () => 500;
    const key = uniqueContent();
    await saying(key, 'Hello there.');
    const chat = await client.createChat();
    const refused = await client.request<{ error: { code: string } }>('/chat/message', {
      body: { chat_id: chat.id, content: key },
    });
    expect([refused.status, refused.body.error.code]).toEqual([503, 'GUARD_UNAVAILABLE']);
    guard.rule = ({ text }) => (text.includes('second') ? 500 : { action: 'allow' });
    const next = uniqueContent();
    const steps = [...pieces('This is the first part of it. '.repeat(3)), { hold: next }, { text: 'The second.' }];
    await app.model.script({ key: next, steps });
    const stream = await client.stream((await client.createChat()).id, next);
    await stream.until('This is');
    await app.model.release(next);
    const { text, trailer } = await stream.plain();
    expect(trailer).toMatchObject({ status: 'failed', error: { code: 'GUARD_UNAVAILABLE', retryable: true } });
    expect('This is the first part of it. '.repeat(3).startsWith(text)).toBe(true);
  });

  it('go on if the guard may be left out', async () => {
    await add({ stages: ['output'], onError: 'open' });
    guard.rule = () => 500;
    const key = uniqueContent();
    await saying(key, 'Hello there.');
    expect((await send((await client.createChat()).id, key)).content).toBe('Hello there.');
  });

  it('send masks to the model, and show the values in the answer', async () => {
    await add({ restore: 'answer' });
    const key = uniqueContent();
    const steps = [...pieces('I wrote to [EMAIL_1] and to [EMAIL_2], not to new@mail.com or [EMAIL_7].')];
    await app.model.script({ key, steps });
    const chat = await client.createChat();
    const content = `${key}: ann@mail.com, bob@mail.com, ann@mail.com; not [EMAIL_1]`;
    const reply = await send(chat.id, content);
    expect(reply.content).toBe('I wrote to ann@mail.com and to bob@mail.com, not to [EMAIL_3] or [EMAIL_7].');
    const [request] = await app.model.requests(key);
    expect(request?.body.messages.at(-1)?.content).toBe(`${key}: [EMAIL_1], [EMAIL_2], [EMAIL_1]; not [ EMAIL_1]`);
    expect((await client.read(chat.id)).messages[0]?.content).toBe(content);

    const next = uniqueContent();
    await saying(next, 'Again [EMAIL_2].');
    expect((await send(chat.id, next)).content).toBe('Again bob@mail.com.');
    const [second] = await app.model.requests(next);
    expect(second?.body.messages.slice(-3).map((message) => message.content)).toEqual([
      `${key}: [EMAIL_1], [EMAIL_2], [EMAIL_1]; not [ EMAIL_1]`,
      'I wrote to [EMAIL_1] and to [EMAIL_2], not to [ EMAIL_3] or [ EMAIL_7].',
      next,
    ]);
    expect(JSON.stringify(await app.model.requests())).not.toContain('ann@mail.com');
  });

  it('keep the values encrypted with the conversation, export them, and erase them with it', async () => {
    await add();
    const key = uniqueContent();
    await saying(key, 'Hello.');
    const chat = await client.createChat();
    await client.send(chat.id, `${key} ann@mail.com`);
    const { manager } = app.app.get(Database);
    const rows = await manager.findBy(GuardMaskEntity, { chatId: chat.id });
    expect(rows).toMatchObject([{ type: 'EMAIL', number: 1, restore: 'answer' }]);
    expect(JSON.stringify(rows)).not.toContain('ann@');
    expect((await client.read(chat.id)).title).toContain('[EMAIL_1]');
    const exported = await client.request('/user/export');
    expect(exported.text).toContain('"mask":"[EMAIL_1]","value":"ann@mail.com"');
    await app.app.get(ChatRetention).erase([chat.id]);
    expect(await manager.countBy(GuardMaskEntity, { chatId: chat.id })).toBe(0);
  });

  it('send masked results of tools to the model, and give tools no values', async () => {
    await add({ stages: ['input', 'tool_result', 'output'] });
    const key = uniqueContent();
    const chatId = await chatWith([{ name: 'contact' }]);
    await calling(key, ['contact', { of: 'the house of [EMAIL_1]' }]);
    await saying(key, 'It is of [EMAIL_1] and [EMAIL_2].');
    contact = 'This belongs to tool@mail.com.';
    const reply = await send(chatId, `${key} of ann@mail.com`);
    expect(reply.content).toBe('Let me see. It is of ann@mail.com and tool@mail.com.');
    expect(resultsOf(reply)).toEqual(['This belongs to tool@mail.com.']);
    const rounds = await app.model.requests(key);
    expect(rounds[1]?.body.messages.at(-1)?.content).toBe('This belongs to [EMAIL_2].');
    expect(JSON.stringify(rounds)).not.toContain('@mail.com');
    const [call] = (reply.parts ?? []).filter(({ type }) => type === 'tool_call');
    expect(call).toMatchObject({ arguments: '{"of":"the house of [EMAIL_1]"}' });
  });

  it('give tools the values of masks if the guard allows it', async () => {
    await add({ restore: 'answer_and_tools' });
    const key = uniqueContent();
    const chatId = await chatWith([{ name: 'contact' }]);
    await calling(key, ['contact', { of: 'the house of [EMAIL_1]' }]);
    await saying(key, 'Done.');
    const reply = await send(chatId, `${key} of ann@mail.com`);
    const [call] = (reply.parts ?? []).filter(({ type }) => type === 'tool_call');
    expect(call).toMatchObject({ arguments: '{"of":"the house of ann@mail.com"}' });
    const rounds = await app.model.requests(key);
    expect(JSON.stringify(rounds)).not.toContain('@mail.com');
  });

  it('do not keep a result that a guard blocks', async () => {
    await add({ stages: ['tool_result'] });
    guard.rule = BAD;
    const key = uniqueContent();
    const chatId = await chatWith([{ name: 'contact' }]);
    await calling(key, ['contact', { of: 'it' }]);
    await saying(key, 'I could not see it.');
    contact = 'The forbidden result.';
    const reply = await send(chatId, key);
    expect(resultsOf(reply)).toEqual(['[blocked]']);
    expect(reply).toMatchObject({ status: 'completed', content: 'Let me see. I could not see it.' });
    const rounds = await app.model.requests(key);
    expect(JSON.stringify(rounds[1]?.body)).toContain('[blocked]');
    expect(JSON.stringify(await client.read(chatId))).not.toContain('forbidden');
  });

  it('check arguments as a whole, and make no call with blocked ones', async () => {
    await add({ stages: ['output'] });
    guard.rule = BAD;
    const key = uniqueContent();
    const chatId = await chatWith([{ name: 'contact' }]);
    await calling(key, ['contact', { of: 'the forbidden room' }]);
    const reply = await send(chatId, key);
    expect(reply).toMatchObject({ status: 'completed', finish_reason: 'content_filter', content: 'Let me see. ' });
    expect(JSON.stringify(reply)).not.toContain('forbidden');
    const checked = guard.calls.filter(({ part }) => part === 'arguments');
    expect(checked).toMatchObject([{ text: '{"of":"the forbidden room"}', offset: 0, final: true }]);
  });

  it('continue after a decision from the last released text', async () => {
    await add();
    const chatId = await chatWith([{ name: 'book' }]);
    const key = uniqueContent();
    await calling(key, ['book', { what: key }]);
    await saying(key, 'I told [EMAIL_1].');
    await client.send(chatId, `${key} ann@mail.com`);
    const [action] = await actionsOf(chatId);
    guard.calls.length = 0;
    const { body } = await decide(chatId, action?.id ?? 0, {
      decision: 'approve',
      arguments_hash: action?.arguments_hash,
    });
    expect(body[1]).toMatchObject({ status: 'completed', content: 'Let me see. I told ann@mail.com.' });
    const checked = guard.calls.filter(({ stage, part }) => stage === 'output' && part === 'text');
    expect(checked.at(-1)).toMatchObject({ text: 'Let me see. I told [EMAIL_1].', offset: 0, final: true });
  });

  it('continue after a crash, with the values that were masked before', async () => {
    await add();
    tools.hold();
    const chatId = await chatWith([{ name: 'note', policy: 'auto' }]);
    const key = uniqueContent();
    await calling(key, ['note', { what: key }]);
    await saying(key, 'I told [EMAIL_1], not new@mail.com.');
    const stream = await client.stream(chatId, `${key} ann@mail.com`);
    const messageId = Number(stream.header('x-message-id'));
    const calls = (): number => tools.keys.filter((name) => name === `call_${messageId}_0`).length;
    await eventually(() => calls() === 1);
    await app.app
      .get(Database)
      .write((manager) => manager.update(MessageEntity, { id: messageId }, { ownerId: 'dead' }));
    await eventually(() => calls() === 2);
    guard.calls.length = 0;
    tools.open();
    expect(await client.waitForEnd(chatId)).toMatchObject({
      status: 'completed',
      content: 'Let me see. I told ann@mail.com, not [EMAIL_2].',
    });
    const checked = guard.calls.filter(({ stage, part }) => stage === 'output' && part === 'text');
    expect(checked[0]?.text.startsWith('Let me see. I told [EMAIL_1]')).toBe(true);
  });

  it('equal the unguarded text when nothing was found, for many texts and pieces', async () => {
    await add();
    await add({ kind: 'builtin', url: null, rules: ['email', 'credit_card', 'iban'], window: 7 });
    const chat = await client.createChat();
    const words = ['one', 'zwei', '三', '😀', '[EMAIL_9]', '[', '12 34', '\n\n', '`x`', 'é'];
    for (let number = 0; number < 40; number++) {
      const text = Array.from({ length: 30 }, (_none, index) => words[(index * (number + 3)) % words.length]).join(' ');
      // The digits of a random key may look like a card number.
      const key = `equal reply ${number};`;
      await app.model.script({ key, steps: pieces(text) });
      expect((await (await client.stream(chat.id, key)).plain()).text).toBe(text);
    }
  });
});
