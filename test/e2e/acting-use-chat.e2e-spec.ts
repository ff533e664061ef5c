import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { useActing } from '../support/acting';
import { type AiSdk, aiSdk } from '../support/ai-sdks';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { chatOf, type OurMessage } from '../support/ui-chat';

/** A message part for a call. */
interface ToolPart {
  type: string;
  toolCallId: string;
  state: string;
  input?: unknown;
  output?: unknown;
  errorText?: string;
  approval?: { id: string; approved?: boolean; reason?: string };
  data?: ActionDto;
}

const partsOf = (message: OurMessage | undefined, wanted: string): ToolPart[] =>
  ((message?.parts ?? []) as { type: string }[]).filter(({ type }) => type === wanted) as ToolPart[];

const toolsOf = (message: OurMessage | undefined) => partsOf(message, 'dynamic-tool');

const actionsIn = (message: OurMessage | undefined) => partsOf(message, 'data-action');

const textOf = (message: OurMessage | undefined) =>
  (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');

describe('approval with useChat', () => {
  const { app, admin, client, tools, chatWith, calling, saying, actionsOf, decide } = useActing();

  describe.each([6, 7] as const)('of the AI SDK %i, unmodified', (version) => {
    let sdk: AiSdk;

    beforeAll(() => {
      sdk = aiSdk(version);
    });

    const open = (chatId: number, messages: OurMessage[] = []) =>
      chatOf(sdk, { chatId, url: app.url, token: client.token, messages, body: { ui_version: version } });

    const history = async (chatId: number) => {
      const path = `/chat/${chatId}/messages?format=ui_message&ui_version=${version}`;
      const { body } = await client.request<OurMessage[]>(path);
      expect((await sdk.safeValidateUIMessages({ messages: body })).success).toBe(true);
      return body;
    };

    /** A page whose reply requests approval of `book`, twice. */
    async function asking(uses = [{ name: 'book' }]) {
      const chatId = await chatWith(uses);
      const key = uniqueContent();
      await calling(key, ['book', { what: `${key} one` }], ['book', { what: `${key} two` }]);
      await saying(key, 'All is done.');
      const page = open(chatId);
      await page.sendMessage({ text: key });
      expect(page.error).toBeUndefined();
      return { chatId, key, page };
    }

    it('continues in the same message, when all questions are answered', async () => {
      const { chatId, key, page } = await asking();
      const [one, two] = toolsOf(page.messages.at(-1));
      expect([one, two]).toMatchObject([
        { state: 'approval-requested', input: { what: `${key} one` }, approval: { id: expect.any(String) } },
        { state: 'approval-requested', input: { what: `${key} two` } },
      ]);
      const { id } = page.messages.at(-1)!;
      await page.addToolApprovalResponse({ id: one!.approval!.id, approved: true });
      expect(await actionsOf(chatId)).toHaveLength(2);
      await page.addToolApprovalResponse({ id: two!.approval!.id, approved: false, reason: 'Too dear.' });
      await eventually(() => page.status === 'ready' && textOf(page.messages.at(-1)).includes('All is done.'));
      expect(page.error).toBeUndefined();
      expect(page.messages).toHaveLength(2);
      expect(page.messages.at(-1)?.id).toBe(id);
      expect(textOf(page.messages.at(-1))).toBe('Let me see. All is done.');
      expect(toolsOf(page.messages.at(-1))).toMatchObject([
        { state: 'output-available', output: `Booked ${key} one.` },
        { state: 'output-denied', approval: { approved: false, reason: 'Too dear.' } },
      ]);
      expect(tools.booked.filter((what) => what.startsWith(key))).toEqual([`${key} one`]);
      const stored = await history(chatId);
      expect(toolsOf(stored.at(-1))).toMatchObject([
        { state: 'output-available', output: `Booked ${key} one.` },
        { state: 'output-denied', approval: { id: two!.approval!.id, approved: false, reason: 'Too dear.' } },
      ]);
      expect(textOf(stored.at(-1))).toBe('Let me see. All is done.');
    });

    it('is requested again from the history, and answered from there', async () => {
      const { chatId, key } = await asking();
      const page = open(chatId, await history(chatId));
      for (const { approval, state } of toolsOf(page.messages.at(-1))) {
        expect(state).toBe('approval-requested');
        await page.addToolApprovalResponse({ id: approval!.id, approved: true });
      }
      await eventually(() => page.status === 'ready' && textOf(page.messages.at(-1)).includes('All is done.'));
      expect(page.error).toBeUndefined();
      expect(tools.booked.filter((what) => what.startsWith(key)).sort()).toEqual([`${key} one`, `${key} two`]);
      // A repetition changes nothing, and has the same result.
      const late = open(chatId, page.messages);
      late.messages = late.messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          part.type === 'dynamic-tool'
            ? ({
                ...part,
                state: 'approval-responded',
                approval: { id: approvalOf(part), approved: true },
              } as typeof part)
            : part,
        ),
      }));
      await late.sendMessage();
      expect(late.error).toBeUndefined();
      expect(tools.booked.filter((what) => what.startsWith(key))).toHaveLength(2);

      function approvalOf(part: { approval?: unknown }): string {
        return (part.approval as { id: string }).id;
      }
    });

    it("is refused for arguments that differ from the action's, for all calls together", async () => {
      const { chatId, key, page } = await asking();
      page.messages = page.messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          part.type === 'dynamic-tool' && (part.input as { what: string }).what.endsWith('two')
            ? { ...part, input: { what: 'something else' } }
            : part,
        ),
      }));
      for (const { approval } of toolsOf(page.messages.at(-1))) {
        await page.addToolApprovalResponse({ id: approval!.id, approved: true });
      }
      await eventually(() => page.status === 'error');
      expect(page.error?.message).toBe(
        'The arguments of this tool call have changed. Review them again before you decide.',
      );
      expect(await actionsOf(chatId)).toHaveLength(2);
      expect(tools.booked.filter((what) => what.startsWith(key))).toEqual([]);
    });

    it("shows another person's approval in the action part, and continues after it", async () => {
      const chatId = await chatWith([{ name: 'book', approver: 'admin' }]);
      const key = uniqueContent();
      await calling(key, ['book', { what: key }]);
      await saying(key, 'All is done.');
      const page = open(chatId);
      await page.sendMessage({ text: key });
      const [part] = actionsIn(page.messages.at(-1));
      expect(part?.data).toMatchObject({ kind: 'approve', tool: 'book', arguments: { what: key }, state: 'open' });
      expect(toolsOf(page.messages.at(-1))).toMatchObject([{ state: 'input-available' }]);
      expect(actionsIn((await history(chatId)).at(-1))[0]?.data).toEqual(part?.data);
      const word = { decision: 'approve', arguments_hash: part?.data?.arguments_hash };
      await decide(chatId, part?.data?.id ?? 0, word, new ChatClient(app.url, admin.account.token));
      await client.waitForEnd(chatId);
      expect(textOf((await history(chatId)).at(-1))).toBe('Let me see. All is done.');
    });
  });

  it('uses the action part in version 5, and shows a denial as an error', async () => {
    const sdk = aiSdk(5);
    const chatId = await chatWith([{ name: 'book' }]);
    const key = uniqueContent();
    await calling(key, ['book', { what: key }]);
    await saying(key, 'All is done.');
    const page = chatOf(sdk, { chatId, url: app.url, token: client.token, messages: [], body: { ui_version: 5 } });
    await page.sendMessage({ text: key });
    expect(page.error).toBeUndefined();
    const [part] = actionsIn(page.messages.at(-1));
    expect(toolsOf(page.messages.at(-1))).toMatchObject([{ state: 'input-available', input: { what: key } }]);
    const answer = await client.request<string>(
      `/chat/${chatId}/actions/${part?.data?.id}?stream_format=ui_message&ui_version=5`,
      { body: { decision: 'deny' } },
    );
    expect(answer.headers.get('x-stream-offset')).toBe('12');
    const chunks = answer.text.match(/(?<=^data: )\{.*$/gm)?.map((data) => JSON.parse(data) as { type: string });
    expect(chunks?.map(({ type }) => type)).toEqual([
      'start',
      'tool-output-error',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    const { body } = await client.request<OurMessage[]>(`/chat/${chatId}/messages?format=ui_message&ui_version=5`);
    expect(toolsOf(body.at(-1))).toMatchObject([
      { state: 'output-error', errorText: expect.stringMatching(/allowed/) },
    ]);
    expect((await sdk.safeValidateUIMessages({ messages: body })).success).toBe(true);
  });

  it('needs the scope for decisions, and a supported version', async () => {
    const chatId = await chatWith([{ name: 'book' }]);
    const key = uniqueContent();
    await calling(key, ['book', { what: key }]);
    await client.send(chatId, key);
    const [action] = await actionsOf(chatId);
    const messages = [
      {
        id: String(action?.message_id),
        role: 'assistant',
        parts: [
          {
            type: 'dynamic-tool',
            toolName: 'book',
            toolCallId: 'x',
            state: 'approval-responded',
            input: { what: key },
            approval: { id: String(action?.id), approved: true },
          },
        ],
      },
    ];
    const body = { id: String(chatId), messages };
    const made = await client.request<{ key: string }>('/user/api-keys', {
      body: { name: 'k', scopes: ['chat:read', 'chat:write'] },
    });
    const program = new ChatClient(app.url, made.body.key);
    expectFailure(await program.request('/chat/message', { body }), 403, 'SCOPE_REQUIRED');
    const wrong = { ...body, ui_version: 4 };
    expectFailure(await client.request('/chat/message', { body: wrong }), 422, 'VALIDATION_ERROR');
    expectFailure(await client.request('/chat/message?ui_version=8', { body }), 400, 'VALIDATION_ERROR');
    const both = { ...body, content: 'hello' };
    expectFailure(await client.request('/chat/message', { body: both }), 422, 'VALIDATION_ERROR');
    const stranger = await app.newClient();
    expectFailure(await stranger.request('/chat/message', { body }), 404, 'CHAT_NOT_FOUND');
    expect(await actionsOf(chatId)).toHaveLength(1);
    const { body: answer } = await client.request<[MessageDto, MessageDto]>('/chat/message', { body });
    expect(answer[1]).toMatchObject({ id: action?.message_id, status: 'completed' });
    // Another reply is not decided together with this one.
    const next = uniqueContent();
    await calling(next, ['book', { what: next }]);
    await client.send(chatId, next);
    const [waiting] = await actionsOf(chatId);
    const part = {
      ...messages[0]?.parts[0],
      approval: { id: String(waiting?.id), approved: true },
      input: { what: next },
    };
    const mixed = { ...body, messages: [{ ...messages[0], parts: [...(messages[0]?.parts ?? []), part] }] };
    expectFailure(await client.request('/chat/message', { body: mixed }), 404, 'ACTION_NOT_FOUND');
    expect(await actionsOf(chatId)).toHaveLength(1);
    expect(tools.booked).not.toContain(next);
  });
});
