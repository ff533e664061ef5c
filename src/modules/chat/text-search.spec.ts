import type { SelectQueryBuilder } from 'typeorm';
import { matchesText } from './text-search';

function conditionFor(text: string): { condition: string; patterns: string[] } {
  const patterns: string[] = [];
  const query = { setParameter: (_name: string, value: string) => patterns.push(value) };
  return { condition: matchesText('chat.title', text, query as unknown as SelectQueryBuilder<object>), patterns };
}

describe('matchesText', () => {
  it('looks for plain words once', () => {
    expect(conditionFor(' Lisbon ')).toEqual({
      condition: "(LOWER(chat.title) LIKE :spelling_0 ESCAPE '!')",
      patterns: ['%lisbon%'],
    });
  });

  it('looks for the usual spellings of words that SQLite cannot fold', () => {
    const { condition, patterns } = conditionFor('привет Мир X');
    expect(patterns).toEqual(['%привет мир x%', '%привет Мир x%', '%ПРИВЕТ МИР x%', '%Привет Мир x%']);
    expect(condition.match(/ OR /g)).toHaveLength(3);
  });

  it('takes the wildcards of LIKE as they are', () => {
    expect(conditionFor('100%_!').patterns).toEqual(['%100!%!_!!%']);
  });
});
