import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import { newcomer } from '../support/accounts';
import { resultsOf } from '../support/acting';
import { aiSdk } from '../support/ai-sdks';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { useMcpCalls } from '../support/mcp/mcp-calls';
import { stream } from '../support/mcp/scripted-mcp-server';
import { ResponsesClient, textOf } from '../support/open-responses/responses-client';
import { chatOf, type OurMessage } from '../support/ui-chat';

const ROOM = { type: 'object', properties: { room: { type: 'string' } }, required: ['room'] };

describe('MCP server questions in each dialect', () => {
  const { app, admin, client, scripted, trusted, chatWith, actionOf, decide } = useMcpCalls();

  /** An agent whose tool asks before it books: during the call, or before a second one. */
  async function asked(isModern: boolean) {
    scripted.isModern = isModern;
    const params = { message: 'Which room?', requestedSchema: ROOM };
    if (isModern) {
      scripted.results = ({ params: given }) =>
        given?.inputResponses === undefined
          ? { resultType: 'input_required', inputRequests: { room: { method: 'elicitation/create', params } } }
          : 'Booked.';
    } else {
      let finish: () => void = () => undefined;
      scripted.intercept = (request, response) => {
        if (request.id === 'question' && request.method === undefined) {
          response.writeHead(202).end();
          finish();
          return true;
        }
        if (request.method !== 'tools/call') return false;
        const send = stream(response);
        const progressToken = request.params?._meta?.progressToken;
        send({ method: 'notifications/progress', params: { progressToken, progress: 1, message: 'Looking.' } });
        send({ id: 'question', method: 'elicitation/create', params });
        finish = () => {
          send({ id: request.id, result: { content: [{ type: 'text', text: 'Booked.' }] } });
          response.end();
        };
        return true;
      };
    }
    const { label } = await trusted({ elicitation: 'form' });
    const name = `${label}__book`;
    const key = uniqueContent();
    await app.model.script({ key, times: 1, steps: [{ toolCall: { name, arguments: '{"what":"x"}' } }] });
    await app.model.script({ key, steps: [{ text: 'Done.' }] });
    return { name, key };
  }

  const answer = async (chatId: number, { id, arguments_hash }: ActionDto) =>
    resultsOf((await decide(chatId, id, { decision: 'approve', arguments_hash, arguments: { room: 'blue' } })).body[1]);

  const actionsIn = (message: OurMessage | undefined) =>
    ((message?.parts ?? []) as { type: string; data: ActionDto }[]).filter(({ type }) => type === 'data-action');

  describe.each([5, 6, 7] as const)('the stream of version %i of the AI SDK', (version) => {
    const page = (chatId: number) =>
      chatOf(aiSdk(version), {
        chatId,
        url: app.url,
        token: client.token,
        messages: [],
        body: { ui_version: version },
      });

    it('has a part that is answered through its route', async () => {
      const { name, key } = await asked(true);
      const chatId = await chatWith({ name, policy: 'auto' });
      const shown = page(chatId);
      await shown.sendMessage({ text: key });
      expect(shown.error).toBeUndefined();
      const [part] = actionsIn(shown.lastMessage);
      expect(part?.data).toMatchObject({ kind: 'input', message: 'Which room?', schema: ROOM, state: 'open' });
      expect(await answer(chatId, part?.data as ActionDto)).toEqual(['Booked.']);
    });

    it('has it also during the call, shows it answered, and includes the progress', async () => {
      const { name, key } = await asked(false);
      const chatId = await chatWith({ name, policy: 'auto' });
      const shown = page(chatId);
      const sending = shown.sendMessage({ text: key });
      expect(await answer(chatId, await eventually(() => actionOf(chatId)))).toEqual(['Booked.']);
      await sending;
      expect(shown.error).toBeUndefined();
      const parts = actionsIn(shown.lastMessage);
      expect(parts).toHaveLength(1);
      expect(parts[0]?.data).toMatchObject({ state: 'decided', decision: 'approve' });
      const { parts: all } = shown.lastMessage ?? { parts: [] };
      expect(all.map(({ type }) => type)).not.toContain('data-tool-progress');
    });
  });

  it('a response is complete, and shows that a call waits for a person', async () => {
    const { name, key } = await asked(true);
    const agent = newcomer().username;
    await admin.post('/agents', { name: agent, tools: [{ name, policy: 'auto' }] });
    const caller = new ResponsesClient(app.origin, client.token, agent);
    const response = await caller.create({ input: key });
    expect(response).toMatchObject({ status: 'completed' });
    const called = response.output.find(({ type }) => type === 'mcp_call');
    expect(called).toMatchObject({
      status: 'incomplete',
      error: expect.stringContaining('waits for a person') as string,
    });
    const [action] = (await client.request<ActionDto[]>('/user/actions')).body;
    expect(await answer(action?.chat_id ?? 0, action as ActionDto)).toEqual(['Booked.']);
    expect(textOf(await caller.get(`${response.id}_1`))).toBe('Done.');
  });

  it('a text has the action in its trailer', async () => {
    const { name, key } = await asked(true);
    const chatId = await chatWith({ name, policy: 'auto' });
    const { trailer } = await (await client.stream(chatId, key)).plain();
    expect(trailer).toMatchObject({ status: 'requires_action', actions: [{ kind: 'input', message: 'Which room?' }] });
    await client.stop(chatId);
  });
});
