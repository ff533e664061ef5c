import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { certainPart, DOTTED_I, textForms, toGlobs, toRegularExpression } from '../common/text/text-pattern';

/**
 * A condition that holds where a column contains a text, whatever the case of either, whether accents are part of their
 * letters or stand behind them, and with `ß` as `ss`. Databases differ in what they know of scripts; so they compare code
 * points, and which of them are one letter is said by the patterns, the same to each.
 *
 * @param column its parameters are named by it
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
  // Most rows do not have it, and it is found out soonest.
  query.setParameter(`${name}_part`, `%${part.replace(/[%_!]/g, '!$&')}%`);
  const hasPart = `LOWER(${column}) LIKE :${name}_part ESCAPE '!'`;
  return part === text.toLowerCase() ? `(${hasPart})` : `(${hasPart} AND ${anyForm})`;
}
