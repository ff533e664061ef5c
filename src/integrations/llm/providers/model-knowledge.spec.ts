import { fake } from '../../../../test/support/fake';
import type { Clock } from '../../../common/clock';
import type { LanguageModelProvider } from '../port/language-model-provider';
import { type ModelFactStore, ModelKnowledge } from './model-knowledge';

const DAY = 24 * 60 * 60 * 1_000;

describe('stored model knowledge', () => {
  const identity = { provider: { name: 'p', address: 'https://x.example' } as LanguageModelProvider, model: 'm' };
  let now: number;
  let knowledge: ModelKnowledge;

  beforeEach(() => {
    now = Date.parse('2026-11-20T12:00:00Z');
    const store = { whenLoaded: () => undefined, save: () => undefined, deleteProvider: () => undefined };
    const clock: Clock = { now: () => new Date(now) };
    knowledge = new ModelKnowledge(clock, fake<ModelFactStore>(store));
    knowledge.learn(identity, { temperature: { leaveOut: true } }, 8_192);
  });

  it('is merged with later knowledge', () => {
    knowledge.learn(identity, { top_p: { leaveOut: true } }, null);
    expect(knowledge.adjustmentsOf(identity)).toEqual({ temperature: { leaveOut: true }, top_p: { leaveOut: true } });
    expect(knowledge.contextTokensOf(identity)).toBe(8_192);
  });

  it('is valid for seven days as a whole', () => {
    now += 6 * DAY;
    knowledge.learn(identity, { top_p: { leaveOut: true } }, null);
    expect(knowledge.contextTokensOf(identity)).toBe(8_192);
    now += DAY;
    expect(knowledge.adjustmentsOf(identity)).toEqual({});
    expect(knowledge.contextTokensOf(identity)).toBeNull();
  });

  it('does not apply to another address', () => {
    const provider = { name: 'p', address: 'https://y.example' } as LanguageModelProvider;
    expect(knowledge.adjustmentsOf({ provider, model: 'm' })).toEqual({});
  });
});
