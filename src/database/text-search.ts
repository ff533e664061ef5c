import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { certainPart, DOTTED_I, textForms, toGlobs, toRegularExpression } from '../common/text/text-pattern';

/**
 * A condition that is true when a column contains a text. It ignores case, finds composed and separate accents, and
 * treats `ß` as `ss`. Databases have different rules for scripts. So they compare code points only, and the patterns,
 * which are the same for each database, say which of them are the same letter.
 *
 * @param column also gives the parameters their names
 * @param text without white space around it
 * @param query gets the parameters of the condition
 */
export function matchesText<Entity extends ObjectLiteral>(
  column: string,
  text: string,
  query: SelectQueryBuilder<Entity>,
): string {
  const isSqlite = query.dataSource.options.type === 'better-sqlite3';
  const name = column.replace(/\W/g, '_');
  const searched = text.match(/[iıİ]/i) ? `REPLACE(LOWER(${column}), '${DOTTED_I}', 'i')` : `LOWER(${column})`;
  const patterns = textForms(text).flatMap((form) => (isSqlite ? toGlobs(form) : [toRegularExpression(form)]));
  const conditions = patterns.map((pattern, index) => {
    query.setParameter(`${name}_${index}`, pattern);
    return `${searched} ${isSqlite ? 'GLOB' : 'REGEXP'} :${name}_${index}`;
  });
  const anyForm = `(${conditions.join(' OR ')})`;
  const part = certainPart(text);
  if (part === undefined) {
    return anyForm;
  }
  // Most rows do not contain this part, and this test is the fastest.
  query.setParameter(`${name}_part`, `%${part.replace(/[%_!]/g, '!$&')}%`);
  const hasPart = `LOWER(${column}) LIKE :${name}_part ESCAPE '!'`;
  return part === text.toLowerCase() ? `(${hasPart})` : `(${hasPart} AND ${anyForm})`;
}
