import type { ActionDto } from '../../src/modules/chat/acting/action.dto';
import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import type { SharedChatDto } from '../../src/modules/share/share.dto';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { expectFailure } from '../support/http';

const HIDDEN = 'room\u200b\u202e\u061c\u{e0041}';
const WRITTEN_OUT = 'room\\u200b\\u202e\\u061c\\udb40\\udc41';

describe('what is shown of calls of tools', () => {
  const { app, client, tools, chatWith, calling, saying, actionsOf, decide, waiting } = useActing();

  const messageOf = async (chatId: number): Promise<MessageDto> =>
    (await client.read(chatId)).messages.at(-1) as MessageDto;

  const callsIn = ({ parts }: MessageDto) => (parts ?? []).filter((part) => part.type === 'tool_call');

  it('has the signs written out that nobody sees, wherever it is shown, and not for the model', async () => {
    const chatId = await chatWith([{ name: 'note', policy: 'auto' }]);
    const key = uniqueContent();
    await calling(key, ['note', { what: HIDDEN }]);
    await saying(key, 'Noted.');
    await client.send(chatId, key);
    const [part] = callsIn(await messageOf(chatId));
    expect(JSON.parse(part?.arguments ?? '')).toEqual({ what: WRITTEN_OUT });
    const [, told] = await app.model.requests(key);
    expect(JSON.stringify(told?.body.messages)).toContain('\u200b');
  });

  it('has no Arabic letter mark in what tools return', async () => {
    const chatId = await chatWith([{ name: 'note', policy: 'auto' }]);
    const key = uniqueContent();
    await calling(key, ['note', { what: HIDDEN }]);
    await saying(key, 'Noted.');
    const { body } = await client.send(chatId, key);
    expect(body[1].parts).toContainEqual(expect.objectContaining({ type: 'tool_result', content: 'Noted room.' }));
  });

  it('is what a person approved in the place of the arguments, in lists and in the export', async () => {
    const { chatId, action } = await waiting({ name: 'book' });
    expect(action.edited_arguments).toBeNull();
    const edited = { what: `${uniqueContent('other')}\u200b` };
    const { arguments_hash } = action;
    await decide(chatId, action.id, { decision: 'approve', arguments_hash, arguments: edited });
    const [decided] = (await client.request<ActionDto[]>(`/chat/${chatId}/actions?state=decided`)).body;
    const shown = { what: edited.what.replace('\u200b', '\\u200b') };
    expect(decided).toMatchObject({ arguments: action.arguments, edited_arguments: shown });
    const { body } = await client.request<{ tool_actions: { id: number; edited_arguments: unknown }[] }>(
      '/user/export',
    );
    expect(body.tool_actions.find(({ id }) => id === action.id)).toMatchObject({ edited_arguments: edited });
    expect(tools.booked).toContain(edited.what);
  });

  it('says that nobody knows what became of a call', async () => {
    const chatId = await chatWith([{ name: 'hang', policy: 'auto' }]);
    const key = uniqueContent();
    await calling(key, ['hang', { what: key }]);
    await saying(key, 'I see.');
    const { body } = await client.send(chatId, key);
    expect(body[1].status).toBe('requires_action');
    expect(callsIn(body[1])).toMatchObject([{ state: 'unknown' }]);
    expect(callsIn(await messageOf(chatId))).toMatchObject([{ state: 'unknown' }]);
    const [action] = await actionsOf(chatId);
    const done = { decision: 'done', text: 'It is there.', arguments_hash: action?.arguments_hash };
    expect(callsIn((await decide(chatId, action?.id ?? 0, done)).body[1])).toMatchObject([{ state: 'succeeded' }]);
  });

  it('is nothing, nor what is said after them, in a snapshot that was shared while a reply waited', async () => {
    const { chatId, key, action } = await waiting();
    const { body } = await client.request<{ token: string }>(`/chat/${chatId}/shares`, { body: {} });
    const reader = await app.newClient();
    const words = async (): Promise<string[]> => {
      const { messages } = (await reader.request<SharedChatDto>(`/shared/${body.token}`)).body;
      return messages.map(({ content }) => content);
    };
    expect(await words()).toEqual([key]);
    const { arguments_hash } = action;
    const [, reply] = (await decide(chatId, action.id, { decision: 'approve', arguments_hash })).body;
    expect(reply.content).toContain('Done.');
    expect(await words()).toEqual([key]);
  });

  it('is what a reply waits for, also to who rates it', async () => {
    const { chatId, reply, action } = await waiting();
    const method = 'PUT';
    const path = `/chat/${chatId}/messages/${reply.id}/feedback`;
    const { body } = await client.request<MessageDto>(path, { method, body: { rating: 'like' } });
    expect(body).toMatchObject({ status: 'requires_action', feedback: { rating: 'like' }, actions: [action] });
  });

  it('is nothing in a shared conversation and its copy, which have the words of the reply as they are', async () => {
    const { chatId, key, action } = await waiting();
    const { arguments_hash } = action;
    const [, reply] = (await decide(chatId, action.id, { decision: 'approve', arguments_hash })).body;
    const { body } = await client.request<{ token: string }>(`/chat/${chatId}/shares`, { body: {} });
    const reader = await app.newClient();
    const { messages } = (await reader.request<SharedChatDto>(`/shared/${body.token}`)).body;
    expect(messages.map(({ content, parts }) => [content, parts])).toEqual(
      [key, reply.content].map((text) => [text, null]),
    );
    const copy = await reader.request<ChatDto>(`/shared/${body.token}/continue`, { body: {} });
    expect((await reader.read(copy.body.id)).messages.map(({ content }) => content)).toEqual([key, reply.content]);
  });

  it('is nothing, of a conversation in the trash', async () => {
    const [decided, open] = [await waiting(), await waiting()];
    const approved = ({ action }: typeof open) => ({ decision: 'approve', arguments_hash: action.arguments_hash });
    expect((await decide(decided.chatId, decided.action.id, approved(decided))).status).toBe(200);
    for (const one of [decided, open]) {
      await client.request(`/chat/${one.chatId}`, { method: 'DELETE' });
      expectFailure(await decide(one.chatId, one.action.id, approved(one)), 404, 'CHAT_NOT_FOUND');
    }
  });

  it('is 0 where a model or a person writes -0', async () => {
    const chatId = await chatWith([{ name: 'reserve' }]);
    const key = uniqueContent();
    await calling(key, ['reserve', `{"what":"${key}","nights":-0.0}`]);
    await saying(key, 'Done.');
    expect((await client.send(chatId, key)).body[1].status).toBe('requires_action');
    const [action] = await actionsOf(chatId);
    expect(action?.arguments).toEqual({ what: key, nights: 0 });
    const arguments_hash = action?.arguments_hash ?? '';
    const json = `{"decision":"approve","arguments_hash":"${arguments_hash}","arguments":{"what":"${key}","nights":-0.0}}`;
    for (const _time of ['first', 'again']) {
      const answer = await fetch(`${app.url}/chat/${chatId}/actions/${action?.id}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
        body: json,
      });
      expect(answer.status).toBe(200);
    }
    expect(tools.reserved.filter((given) => (given as { what: string }).what === key)).toEqual([
      { what: key, nights: 0 },
    ]);
  });
});
