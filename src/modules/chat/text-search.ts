import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/**
 * A condition that holds where a column contains a text, whatever the case of either. MySQL's LOWER knows all scripts;
 * SQLite's knows ASCII only, so there the usual spellings of other scripts' words are looked for: all small, all
 * capital, and with a capital at the beginning. `%` and `_` mean themselves.
 *
 * @param query gets the parameters of the condition
 */
export function matchesText<Entity extends ObjectLiteral>(
  column: string,
  text: string,
  query: SelectQueryBuilder<Entity>,
): string {
  const spellings = [...new Set(spellingsOf(text.trim()))];
  const conditions = spellings.map((spelling, index) => {
    const parameter = `spelling_${index}`;
    query.setParameter(parameter, `%${spelling.replace(/[%_!]/g, '!$&')}%`);
    return `LOWER(${column}) LIKE :${parameter} ESCAPE '!'`;
  });
  return `(${conditions.join(' OR ')})`;
}

function spellingsOf(text: string): string[] {
  const small = text.toLowerCase();
  const words = small.replace(
    /(^|\P{L})(\p{L})/gu,
    (_match, before: string, letter: string) => before + letter.toUpperCase(),
  );
  return [small, ...[text, text.toUpperCase(), words].map(withSmallAscii)];
}

/** As SQLite's LOWER writes it. */
function withSmallAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
