import { agentNameKey } from '../catalogue/agent-name-key';
import { changesBehaviour, DEFAULT_DEFINITION, definitionChanges, freeCopyName } from './agent-definition';

const agent = { ...DEFAULT_DEFINITION, name: 'Cook', modelParams: { temperature: 1, stop: ['a'] } };

describe('definitionChanges', () => {
  it('leaves out equal values, whatever the order of their parts', () => {
    expect(definitionChanges(agent, { name: 'Cook', modelParams: { stop: ['a'], temperature: 1 }, tags: [] })).toEqual(
      {},
    );
  });

  it('keeps different values, null and false included', () => {
    const wanted = { ...agent, isDefault: true, provider: 'demo', modelParams: { temperature: 1 } };
    expect(definitionChanges(agent, wanted)).toEqual({
      isDefault: true,
      provider: 'demo',
      modelParams: { temperature: 1 },
    });
    expect(definitionChanges(wanted, { isDefault: false, provider: null })).toEqual({
      isDefault: false,
      provider: null,
    });
  });
});

describe('changesBehaviour', () => {
  it('is true for prompt, model and parameters, not for the presentation', () => {
    expect(changesBehaviour({ name: 'a', status: 'draft', sortOrder: 1 })).toBe(false);
    expect(changesBehaviour({ name: 'a', systemPrompt: '' })).toBe(true);
    expect(changesBehaviour({ timeoutSeconds: null })).toBe(true);
  });
});

describe('agentNameKey', () => {
  it('is the same for names that look the same', () => {
    expect(agentNameKey('ÄRZTE')).toBe(agentNameKey('a\u0308rzte'));
    expect(agentNameKey('Cook')).not.toBe(agentNameKey('Cooks'));
  });
});

describe('freeCopyName', () => {
  it('counts up to the first free name', () => {
    expect(freeCopyName('Cook', new Set())).toBe('Cook (copy)');
    expect(freeCopyName('Cook', new Set(['cook (copy)', 'cook (copy 2)']))).toBe('Cook (copy 3)');
  });

  it('shortens a long name instead of the suffix', () => {
    const name = freeCopyName('🍲'.repeat(64), new Set());
    expect([...name]).toHaveLength(64);
    expect(name).toMatch(/🍲 \(copy\)$/u);
  });
});
