import { Database } from '../../src/database/database';
import { ConversationHistory } from '../../src/modules/chat/history/conversation-history';
import { CompactionSeal } from '../../src/modules/generation/prompt/compaction/compaction-seal';
import { createAdmin } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { CompactingProgram, management, TRIGGER, useCompactions } from '../support/compactions';
import { textOf } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

/** 540 tokens, by estimate 1,014. Four times that exceeds the model's limit of 2,250. */
const LONG = 'some words '.repeat(270);

const MORE_THAN_FITS = 1_000_000;

const SUMMARY = 'They want a boat.';

const typesOf = ({ output }: { output: { type: string }[] }) => output.map(({ type }) => type);

describe('a summary and the limits of a model', () => {
  const app = useChatApp({ LLM_CONTEXT_TOKENS: '3000' });
  const user = useClient(app);
  const client = useCompactions(app, user);

  /** A client with its own agent. */
  async function programOf(fields: object): Promise<CompactingProgram> {
    const agent = agentRequests(app, (await createAdmin(app)).token);
    const { name } = await createAgent(agent, { status: 'active', ...fields });
    return new CompactingProgram(app, user, name);
  }

  /** Sends this number of long turns, one after the other. @returns the last response */
  async function talk(turns: number, body: object = {}, by = client) {
    let last = await by.create({ input: `${uniqueContent()} ${LONG}`, ...body });
    for (let turn = 1; turn < turns; turn++) {
      const rest = { ...body, previous_response_id: last.id };
      last = await by.create({ input: `${uniqueContent()} ${LONG}`, ...rest });
    }
    return last;
  }

  /** The prompt of the next message. */
  async function toldNext(previous_response_id: string, body: object = {}, by = client) {
    const key = uniqueContent('next');
    const response = await by.create({ input: key, previous_response_id, ...body });
    return { response, told: JSON.stringify(await by.promptOf(key, -1)) };
  }

  it("is created if the conversation exceeds the model's limit, whatever threshold the client sets", async () => {
    await app.model.script({ key: 'User: first', steps: [{ text: SUMMARY }] });
    const wish = { context_management: management(MORE_THAN_FITS) };
    const first = await client.create({ input: `first ${LONG}`, ...wish });
    const outputs: string[][] = [];
    let last = first;
    for (let turn = 0; turn < 6 && !outputs.flat().includes('compaction'); turn++) {
      last = await client.create({ input: `${uniqueContent()} ${LONG}`, previous_response_id: last.id, ...wish });
      outputs.push(typesOf(last));
    }
    expect(outputs.at(-1)).toEqual(['compaction', 'message']);
    const { told } = await toldNext(last.id);
    expect(told).toContain(SUMMARY);
  });

  it('is created if there are more messages than the agent includes', async () => {
    const program = await programOf({ context_max_messages: 4 });
    const wish = { context_management: management(MORE_THAN_FITS) };
    await app.model.script({ key: 'User: one', steps: [{ text: SUMMARY }] });
    const first = await program.create({ input: 'one', ...wish });
    const second = await program.create({ input: 'two', previous_response_id: first.id, ...wish });
    const third = await program.create({ input: 'three', previous_response_id: second.id, ...wish });
    expect([second, third].map(typesOf)).toEqual([['message'], ['compaction', 'message']]);
    const { told } = await toldNext(third.id, {}, program);
    expect(told).toContain(SUMMARY);
  });

  it('is included however long the conversation becomes after it, and the oldest turns after it are dropped', async () => {
    const key = await client.summing();
    const first = await client.create({ input: [{ role: 'user', content: key }, TRIGGER] });
    let previous_response_id = first.id;
    const said: string[] = [];
    for (let turn = 0; turn < 6; turn++) {
      said.push(uniqueContent('turn'));
      ({ id: previous_response_id } = await client.create({ input: `${said.at(-1)} ${LONG}`, previous_response_id }));
    }
    const expectSent = async (): Promise<void> => {
      const { told, response } = await toldNext(previous_response_id);
      const parts = [SUMMARY, said[0] ?? '', said[5] ?? ''].map((text) => told.includes(text));
      expect(parts).toEqual([true, false, true]);
      previous_response_id = response.id;
    };
    await expectSent();
    // As another process reads it, without a cache.
    const chatId = Number(first.conversation?.id.slice('conv_'.length));
    const history = app.app.get(ConversationHistory);
    await app.app.get(Database).write(() => Promise.resolve(history.forgetOnCommit([chatId])));
    await expectSent();
  });

  it('is included however long the rest of a request without storage is', async () => {
    const sealed = (await client.create({ input: [{ role: 'user', content: await client.summing() }, TRIGGER] }))
      .output;
    const after = [1, 2, 3, 4].flatMap((turn) => [
      { role: 'user', content: `${turn} ${LONG}` },
      { role: 'assistant', content: `Said ${turn}.` },
    ]);
    const key = uniqueContent('ask');
    const input = [{ role: 'user', content: 'Old words.' }, ...sealed, ...after, { role: 'user', content: key }];
    await client.create({ input, store: false });
    const told = JSON.stringify(await client.promptOf(key, -1));
    const parts = [SUMMARY, 'Old words.', 'Said 1.', 'Said 4.'].map((text) => told.includes(text));
    expect(parts).toEqual([true, false, false, true]);
  });

  it('is included if it is the first message that the agent includes', async () => {
    const program = await programOf({ context_max_messages: 4 });
    const key = await program.summing();
    const first = await program.create({ input: [{ role: 'user', content: key }, TRIGGER] });
    const second = await program.create({ input: 'two', previous_response_id: first.id });
    for (let ask = 0; ask < 2; ask++) {
      const { told } = await toldNext(second.id, {}, program);
      expect(told).toContain(SUMMARY);
    }
  });

  it('is created as soon as prompt and functions together have this number of tokens', async () => {
    const tools = [{ type: 'function', name: 'look', description: 'word '.repeat(600), parameters: null }];
    const program = await programOf({ system_prompt: 'Be brief.' });
    const input = [
      { role: 'user', content: uniqueContent() },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: uniqueContent() },
    ];
    const wish = { context_management: management(500) };
    expect(typesOf(await program.create({ input, ...wish }))).toEqual(['message']);
    expect(typesOf(await program.create({ input, tools, ...wish }))).toEqual(['compaction', 'message']);
  });

  it('keeps old messages that are short enough for the client', async () => {
    const key = await client.summing();
    // By estimate 263 tokens each.
    const words = 'some words '.repeat(70);
    const input = [
      { role: 'user', content: `First ${words}` },
      { role: 'user', content: `Oldest ${words}` },
      { role: 'user', content: `Older ${words}` },
      { role: 'user', content: `Old ${words}` },
      { role: 'assistant', content: 'I see.' },
      { role: 'user', content: `${key}?` },
    ];
    await client.create({ input, context_management: management(1_100) });
    const told = JSON.stringify(await client.promptOf(key, 1));
    const parts = [SUMMARY, 'Oldest', 'Older', 'Old some', `${key}?`].map((text) => told.includes(text));
    expect(parts).toEqual([true, false, false, true, true]);
  });

  describe('with truncation: disabled', () => {
    const whole = { truncation: 'disabled' };

    it('shortens a conversation that is too long', async () => {
      const last = await talk(4);
      const answer = await client.post({ input: 'On.', previous_response_id: last.id, ...whole });
      expectOpenAiFailure(answer, 400, 'context_length_exceeded', 'input');
      const wish = { ...whole, context_management: management(2_000) };
      const { response } = await toldNext(last.id, wish);
      expect(typesOf(response)).toEqual(['compaction', 'message']);
    });

    it('drops nothing from one that is still too long', async () => {
      const key = await client.summing();
      const after = [
        { role: 'user', content: LONG },
        { role: 'assistant', content: LONG },
      ];
      const input = [...after, ...after, { role: 'user', content: key }];
      const wish = { ...whole, context_management: management(2_000) };
      const sealed = (await client.create({ input: [{ role: 'user', content: key }, TRIGGER] })).output;
      const answer = await client.post({ input: [...sealed, ...input], ...whole });
      expectOpenAiFailure(answer, 400, 'context_length_exceeded', 'input');
      expect(typesOf(await client.create({ input: [...sealed, ...input], ...wish }))).toEqual([
        'compaction',
        'message',
      ]);
      await app.model.script({ key: 'fails', steps: [] });
      const failing = [...after, ...after, { role: 'user', content: 'fails' }];
      expectOpenAiFailure(await client.post({ input: failing, ...wish }), 400, 'context_length_exceeded', 'input');
    });
  });

  it('is opened once for a request', async () => {
    const key = await client.summing();
    const [sealed] = (await client.create({ input: [{ role: 'user', content: key }, TRIGGER] })).output;
    const opened = jest.spyOn(app.app.get(CompactionSeal)['cipher'], 'decrypt');
    const input = [sealed, { role: 'user', content: 'One.' }, { role: 'assistant', content: 'Two.' }];
    const ask = { role: 'user', content: `${key}?` };
    expect(textOf(await client.create({ input: [...input, ask], store: false }))).toBe('Go.');
    expect(opened).toHaveBeenCalledTimes(1);
    opened.mockClear();
    const wish = { context_management: management(1) };
    expect(typesOf(await client.create({ input: [...input, ask], store: false, ...wish }))).toContain('compaction');
    // The one in the request, and the new one.
    expect(opened).toHaveBeenCalledTimes(2);
    opened.mockRestore();
  });
});
