import { fake } from '../../../../test/support/fake';
import { GuardPresence } from '../../../common/guard-presence';
import type { Database } from '../../../database/database';
import type { BlobStore } from '../../../integrations/blob-store/blob-store';
import type { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import { estimateTokens } from '../../../integrations/llm/counting/token-estimate';
import type { LanguageModels } from '../../../integrations/llm/language-models';
import type { ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import type { Agent } from '../../agent/agent.api';
import type { CompactionSeal } from '../../generation/prompt/compaction/compaction-seal';
import { PromptBuilder } from '../../generation/prompt/prompt-builder';
import type { GenerationTask } from '../../generation/reply/generation-task';
import { ReplyKnowledge } from '../../generation/reply/reply-knowledge';
import { RunningReply } from '../../generation/reply/running-reply';
import type { Turn } from '../../generation/reply/stored-parts';
import { ChatExchange, type ExchangeServices } from '../sending/chat-exchange';
import type { ConversationHistory, HistoryLimits, NewMessage } from './conversation-history';
import { PromptHistory } from './prompt-history';

function agentWith(properties: Partial<Agent> = {}): Agent {
  const defaults = { systemPrompt: 'Be brief.', modelParams: {}, contextMaxTokens: null, contextMaxMessages: null };
  return { ...defaults, ...properties } as Agent;
}

function taskWith(properties: object = {}) {
  return { agent: agentWith(), language: null, customInstructions: '', ...properties };
}

const FIRST = { lineEndId: null, lastReplyId: null, content: 'Hi', parts: null, tokens: 1 };
const HI = { role: 'user', content: 'Hi', parts: null } as const;

/**
 * Counts one token for each text of any length, which distinguishes counts from estimates.
 *
 * @param window the known context window of the model
 */
function contextOver(rows: { role: string; content: string }[] = [], window = Infinity) {
  const before = jest.fn().mockResolvedValue(rows.map((row) => ({ parts: null, ...row })));
  const sampleAll = jest.fn((texts: string[]) => Promise.resolve(texts.map(() => 1)));
  const counter = fake<TokenCounter>({ sampleAll });
  const models = { contextTokens: (_model: unknown, wanted: number | null) => Math.min(wanted ?? 64_000, window) };
  const history = fake<ConversationHistory>({ before });
  const promptHistory = new PromptHistory(
    {} as Database,
    history,
    {} as BlobStore,
    new ReplyKnowledge(),
    new GuardPresence(),
  );
  const nothing = {} as never;
  const context = new PromptBuilder(counter, fake<LanguageModels>(models), {} as CompactionSeal);
  const asked = (): HistoryLimits => (before.mock.calls as [unknown, HistoryLimits][])[0]![1];
  const build = (task: object, question: Turn, message: NewMessage | null = null): Promise<ModelMessage[]> => {
    const facts = { title: null, isUntitled: false, formerLineEndId: null, question, message };
    const origin = new ChatExchange(nothing, fake<ExchangeServices>({ promptHistory }), facts);
    return context.build(new RunningReply(7, 20, 21, task as GenerationTask, origin, nothing));
  };
  return { context, build, before, asked, sampleAll };
}

describe('the prompt for the model', () => {
  it('is the system prompt and the message if there is no history', async () => {
    expect(await contextOver().build(taskWith(), HI, FIRST)).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ]);
  });

  it('is only the message for an agent without a prompt', async () => {
    const task = taskWith({ agent: agentWith({ systemPrompt: ' ' }) });
    expect(await contextOver().build(task, HI, FIRST)).toEqual([{ role: 'user', content: 'Hi' }]);
  });

  it('includes the language and the user’s own instructions', async () => {
    const task = taskWith({ language: 'zh-TW', customInstructions: ' Call me Ishmael. ' });
    const [system] = await contextOver().build(task, HI, FIRST);
    expect(system?.content).toBe(
      'Be brief.\n\nWhat the user wants you to know and respect:\nCall me Ishmael.\n\n' +
        'Answer in Chinese (Taiwan) unless the user asks for another language.',
    );
  });

  it('includes an unknown language by its tag', async () => {
    const [system] = await contextOver().build(taskWith({ language: 'zz-abcdefgh' }), HI, FIRST);
    expect(system?.content).toContain('zz');
  });

  it('starts the history with a user message', async () => {
    const history = [
      { role: 'assistant', content: 'cut off' },
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'second' },
    ];
    const messages = await contextOver(history).build(taskWith(), HI);
    expect(messages.map(({ content }) => content)).toEqual(['Be brief.', 'first', 'second', 'Hi']);
  });

  it('merges user messages that got no reply', async () => {
    const history = [
      { role: 'user', content: 'first' },
      { role: 'user', content: 'second' },
      { role: 'assistant', content: 'answer' },
      { role: 'user', content: 'third' },
    ];
    const messages = await contextOver(history).build(taskWith(), HI);
    expect(messages.slice(1)).toEqual([
      { role: 'user', content: 'first\n\nsecond' },
      { role: 'assistant', content: 'answer' },
      { role: 'user', content: 'third\n\nHi' },
    ]);
  });

  it('requests as many messages and tokens as the agent’s limits allow, leaving space for the reply', async () => {
    const agent = agentWith({ contextMaxMessages: 10, contextMaxTokens: 2_000, modelParams: { max_tokens: 300 } });
    const { build, asked } = contextOver();
    await build(taskWith({ agent }), HI);
    const { messages, tokens } = asked();
    expect(messages).toBe(9);
    expect(tokens).toBeLessThan(1_700 - estimateTokens('Be brief.') - estimateTokens('Hi'));
    expect(tokens).toBeGreaterThan(1_600);
  });

  it('requests no more than the known context window of the model, whatever the agent allows', async () => {
    const agent = agentWith({ contextMaxTokens: 100_000 });
    const { context, build, asked } = contextOver([], 4_000);
    await build(taskWith({ agent }), HI);
    expect(asked().tokens).toBeLessThan(3_000);
    expect(asked().tokens).toBeGreaterThan(2_800);
    expect(context.textsToCount(taskWith({ agent }), '漢字'.repeat(2_000))).not.toEqual([]);
  });

  it('omits the history if only the message fits', async () => {
    const { build, before } = contextOver();
    const task = taskWith({ agent: agentWith({ contextMaxMessages: 1 }) });
    await build(task, HI);
    expect(before).not.toHaveBeenCalled();
  });
});

describe('a message that is too long for the agent', () => {
  it('is counted before it is refused', async () => {
    const { context, sampleAll } = contextOver();
    const agent = agentWith({ contextMaxTokens: 1_000 });
    const content = '漢字'.repeat(400);
    const texts = context.textsToCount(taskWith({ agent }), content);
    expect(texts).toEqual(['Be brief.', '', content]);
    const tokenCounts = await context.count(texts);
    expect([...tokenCounts.values()]).toEqual([1, 1, 1]);
    expect(context.textsToCount(taskWith({ agent, tokenCounts }), content)).toEqual([]);
    expect(sampleAll).toHaveBeenCalledTimes(1);
  });

  it('is refused with its size and the limit if the count exceeds the limit', async () => {
    const { context } = contextOver();
    const agent = agentWith({ contextMaxTokens: 10 });
    const tokenCounts = await context.count(context.textsToCount(taskWith({ agent }), 'Hi'));
    const decide = (): unknown => context.textsToCount(taskWith({ agent, tokenCounts }), 'Hi');
    expect(decide).toThrow(ContextTooLongError);
    // Three texts of one token each, and the overhead of every prompt.
    expect(decide).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ tokens: 43, limit: 8 }) as object }) as Error,
    );
  });

  it('is refused by its length, uncounted, if it cannot fit', () => {
    const { context, sampleAll } = contextOver();
    const agent = agentWith({ contextMaxTokens: 1_000 });
    // The agent leaves 750 tokens; at twelve characters per token, the limit is 9,000.
    expect(context.textsToCount(taskWith({ agent }), 'x'.repeat(8_900))).not.toEqual([]);
    expect(() => context.textsToCount(taskWith({ agent }), 'x'.repeat(9_000))).toThrow(ContextTooLongError);
    const options = { instructions: 'x'.repeat(8_900), tools: [] };
    expect(() => context.textsToCount(taskWith({ agent, options }), 'x'.repeat(100))).toThrow(ContextTooLongError);
    expect(sampleAll).not.toHaveBeenCalled();
  });

  it('is not counted when its estimate fits', () => {
    const agent = agentWith({ contextMaxTokens: 1_000 });
    expect(contextOver().context.textsToCount(taskWith({ agent }), 'word '.repeat(200))).toEqual([]);
  });

  it('leaves space for the history according to its count', async () => {
    const { build, asked } = contextOver();
    const content = '漢字'.repeat(400);
    const agent = agentWith({ contextMaxTokens: 1_000 });
    await build(taskWith({ agent, tokenCounts: new Map([[content, 1]]) }), {
      role: 'user',
      content,
      parts: null,
    });
    expect(asked().tokens).toBeGreaterThan(600);
  });

  it('uses at most a quarter of the context for the reply', () => {
    const agent = agentWith({ contextMaxTokens: 1_000, modelParams: { max_tokens: 100_000 } });
    expect(contextOver().context.textsToCount(taskWith({ agent }), 'word '.repeat(200))).toEqual([]);
  });
});
