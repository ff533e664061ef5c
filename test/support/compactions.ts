import type { ChatApp } from './chat-app';
import { type ChatClient, uniqueContent } from './chat-client';
import type { ModelRequest } from './model-server/model-server';
import { ResponsesClient } from './open-responses/responses-client';
import { made } from './use-app';

/** Compacts the conversation before it. */
export const TRIGGER = { type: 'compaction_trigger' };

/** The cost of a summary. */
const USAGE = { prompt_tokens: 900, completion_tokens: 100 };

/** The client of a new user, for each test, with compacted conversations. */
export function useCompactions(app: ChatApp, user: ChatClient): CompactingProgram {
  return made(beforeEach, () => Promise.resolve(new CompactingProgram(app, user)));
}

export class CompactingProgram extends ResponsesClient {
  constructor(
    private readonly app: ChatApp,
    private readonly user: ChatClient,
    model = 'General assistant',
  ) {
    super(app.origin, user.token, model);
  }

  /** A unique word of this test, also in summary requests: the first one returns the summary, all others an answer. */
  async summing(summary = 'They want a boat.'): Promise<string> {
    const key = uniqueContent('long');
    await this.app.model.script({ key, times: 1, steps: [{ text: summary }], usage: USAGE });
    await this.app.model.script({ key, steps: [{ text: 'Go.' }], usage: { prompt_tokens: 10, completion_tokens: 1 } });
    return key;
  }

  /** The model's messages in a request that contains the word. */
  async promptOf(key: string, index: number): Promise<ModelRequest['body']['messages']> {
    return (await this.app.model.requests(key)).at(index)?.body.messages ?? [];
  }

  /** The usage of today's quota. */
  async used(): Promise<{ messages: number; tokens: number }> {
    type Quota = Record<'messages' | 'tokens', { used: number }>;
    const { messages, tokens } = (await this.user.request<Quota>('/user/quota')).body;
    return { messages: messages.used, tokens: tokens.used };
  }
}

/** Rounds of a conversation, as a client sends them. */
export function rounds(key: string): object[] {
  return [
    { role: 'developer', content: 'Be kind.' },
    { role: 'user', content: `I want ${key}.` },
    { role: 'assistant', content: 'A long plan.' },
    { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"at":"sea"}' },
    { type: 'function_call_output', call_id: 'c1', output: 'A storm.' },
  ];
}

/** Requests a summary as soon as the prompt has this number of tokens. */
export const management = (compact_threshold: number): object[] => [
  { type: 'other' },
  { type: 'compaction', compact_threshold },
];
