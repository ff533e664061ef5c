import { fake } from '../../../../test/support/fake';
import { Lifecycle } from '../../../common/lifecycle';
import type { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import type { LanguageModels } from '../../../integrations/llm/language-models';
import type { GenerationRequest } from '../../../integrations/llm/port/completion';
import type { Completion } from '../../../integrations/llm/port/completion';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import type { SideModels } from '../../../integrations/llm/side-requests';
import type { AgentService } from '../catalogue/agent.service';
import type { AgentProviders } from '../catalogue/agent-providers';
import { type AgentDefinition, DEFAULT_DEFINITION } from '../editing/agent-definition';
import { AgentTrialService } from './agent-trial.service';

const agent: AgentDefinition = {
  ...DEFAULT_DEFINITION,
  name: 'Cook',
  systemPrompt: 'You cook.',
  provider: 'demo',
  model: 'large',
  modelParams: { temperature: 0 },
  fallbackModels: ['small'],
  timeoutSeconds: 9,
};

const CALLER = { userId: 1, apiKeyId: null };

function setUp(definition = agent) {
  const requests: GenerationRequest[] = [];
  const complete = (request: GenerationRequest): Promise<Completion> => {
    requests.push(request);
    const result = { finishReason: 'stop', usage: null, model: 'small', provider: 'demo' } as const;
    return Promise.resolve({ ...result, text: 'Soup.', firstTokenMs: 1, durationMs: 2 });
  };
  const contextTokens: LanguageModels['contextTokens'] = (_reference, wanted) => wanted ?? 64_000;
  const trial = new AgentTrialService(
    fake<AgentService>({ get: () => Promise.resolve(definition) }),
    fake<AgentProviders>({ assertKnown: () => Promise.resolve() }),
    fake<LanguageModels>({ contextTokens }),
    fake<SideModels>({ complete }),
    fake<TokenCounter>({
      countConversation: () => Promise.resolve(20),
      count: () => Promise.resolve(3),
      countedAll: () => Promise.resolve([3, 2]),
    }),
    new Lifecycle(),
  );
  return { trial, requests };
}

describe('the trial of an agent', () => {
  it('calls the model as chats do', async () => {
    const { trial, requests } = setUp();
    await trial.answer(1, { content: 'Dinner?', lang: 'de' }, CALLER);
    expect(requests).toEqual([
      {
        provider: 'demo',
        model: 'large',
        fallbackModels: ['small'],
        parameters: { temperature: 0 },
        timeoutSeconds: 9,
        language: 'de',
        messages: [
          { role: 'system', content: 'You cook.' },
          { role: 'user', content: 'Dinner?' },
        ],
      },
    ]);
  });

  it('sends no empty instructions', async () => {
    const { trial, requests } = setUp({ ...agent, systemPrompt: '' });
    await trial.answer(1, { content: 'Dinner?' }, CALLER);
    expect(requests[0]?.messages).toEqual([{ role: 'user', content: 'Dinner?' }]);
  });

  it('refuses what a chat with the agent would refuse', async () => {
    const { trial, requests } = setUp({ ...agent, contextMaxTokens: 58 });
    await expect(trial.answer(1, { content: 'Dinner?' }, CALLER)).rejects.toEqual(ContextTooLongError.of(45, 44));
    expect(requests).toEqual([]);
    expect(
      await setUp({ ...agent, contextMaxTokens: 59 }).trial.answer(1, { content: 'Dinner?' }, CALLER),
    ).toBeDefined();
  });

  it('applies settings instead of the agent’s own, for this answer only', async () => {
    const { trial, requests } = setUp();
    const draft = { system_prompt: 'Rhyme.', model: 'large', model_params: { temperature: 1 }, timeout_seconds: 5 };
    await trial.answer(1, { content: 'Dinner?', ...draft }, CALLER);
    await trial.answer(1, { content: 'Dinner?' }, CALLER);
    expect(requests[0]).toMatchObject({ model: 'large', parameters: { temperature: 1 }, timeoutSeconds: 5 });
    expect(requests[0]?.messages[0]).toEqual({ role: 'system', content: 'Rhyme.' });
    expect(requests[1]).toMatchObject({ model: agent.model, timeoutSeconds: agent.timeoutSeconds });
    expect(requests[1]?.messages[0]).toEqual({ role: 'system', content: agent.systemPrompt });
  });

  it('counts the tokens itself when the provider does not, and reports this', async () => {
    const answer = await setUp().trial.answer(1, { content: 'Dinner?' }, CALLER);
    expect(answer).toMatchObject({ content: 'Soup.', model: 'small', first_token_ms: expect.any(Number) });
    expect(answer.token_usage).toEqual({
      prompt_tokens: 20,
      completion_tokens: 3,
      total_tokens: 23,
      cached_tokens: 0,
      reasoning_tokens: 0,
      is_estimated: true,
      model: 'small',
    });
  });
});
