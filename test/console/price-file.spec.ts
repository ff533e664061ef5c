import type { ProviderDto } from 'chat-service-client';
import { guess, mapOf, providersOf } from '../../console/src/pages/admin/money/price-file';

jest.mock('../../console/src/app/api', () => ({ api: {} }));

const provider = (members: Partial<ProviderDto>): ProviderDto =>
  ({ name: 'mine', kind: 'openai-compatible', base_url: null, ...members }) as ProviderDto;

describe('a price list', () => {
  it('from models.dev has providers at the top level, one from LiteLLM has one for each model', () => {
    const content = { openai: { models: {} }, 'a b': {}, anthropic: { models: {} } };
    expect(providersOf({ format: 'models.dev', content, source: '' })).toEqual(['anthropic', 'openai']);
    const models = {
      sample_spec: { litellm_provider: 'one of https://docs, or another' },
      'gpt-5': { litellm_provider: 'openai' },
      'gpt-5-mini': { litellm_provider: 'openai' },
      claude: { litellm_provider: 'anthropic' },
      odd: null,
    };
    expect(providersOf({ format: 'litellm', content: models, source: '' })).toEqual(['anthropic', 'openai']);
  });

  it.each<[string, Partial<ProviderDto>, string]>([
    ['its name', { name: 'OpenAI' }, 'openai'],
    ['its address', { base_url: 'https://api.mistral.ai/v1' }, 'mistral'],
    ['its kind', { kind: 'anthropic' }, 'anthropic'],
    ['nothing', { base_url: 'http://127.0.0.1:11434/v1' }, ''],
  ])('is searched for a provider by %s', (_by, members, expected) => {
    expect(guess(provider(members), ['anthropic', 'mistral', 'openai'])).toBe(expected);
  });

  it.each<[string, Record<string, string>, boolean, string]>([
    ['one of ours', { default: 'openai', other: '' }, false, 'openai:default,*:-'],
    ['two of ours under one name', { a: 'openai', b: 'openai' }, false, 'openai:,*:-'],
    ['a name that the map cannot have', { 'my own': 'openai' }, false, 'openai:,*:-'],
    ['all others too', { a: 'anthropic' }, true, 'anthropic:a,*:'],
    ['none', {}, false, '*:-'],
  ])('is read for %s', (_for, chosen, others, expected) => {
    expect(mapOf(chosen, others)).toBe(expected);
  });
});
