import {
  type EntityManager,
  type EntityTarget,
  FindOperator,
  type FindOptionsWhere,
  type ObjectLiteral,
} from 'typeorm';
import type { StatementValue } from '../connection/statement-result';
import { type EntityColumn, type EntityTable, tableOf } from './entity-columns';

/**
 * Selects rows of a table: by values of members, or the operators of TypeORM (`In`, `Not`, `IsNull`, `LessThan` …). If
 * there are several such objects, one must match. An empty object means all rows.
 */
export type Where<Entity> = FindOptionsWhere<Entity> | FindOptionsWhere<Entity>[];

/** SQL with `?` for each of the parameters. */
export interface RowCondition {
  condition: string;
  parameters: StatementValue[];
}

/** Lists up to this length are padded to a power of two, so that there are few different texts. */
const LONGEST_FILLED_LIST = 4_096;

const COMPARISONS: Record<string, string> = {
  equal: '=',
  lessThan: '<',
  lessThanOrEqual: '<=',
  moreThan: '>',
  moreThanOrEqual: '>=',
};

/** Selects rows by their members, or by SQL. */
export type Rows<Entity> = Where<Entity> | RowCondition;

/** Rows of a table, as the first parameters of the functions that find rows. */
export type RowsOf<Entity> = [manager: EntityManager, entity: EntityTarget<Entity>, where: Rows<Entity>];

/**
 * The condition of a statement about rows.
 *
 * @throws TypeError if a value is missing, because a typo must not select all rows
 */
export function rowCondition<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity>,
): RowCondition {
  if (isSql(where)) {
    return where;
  }
  const table = tableOf(manager.dataSource, entity);
  const any: readonly ObjectLiteral[] = Array.isArray(where) ? where : [where];
  const parts = any.map((one) => membersOf(table, one));
  return { condition: joined(parts, 'OR'), parameters: parts.flatMap(({ parameters }) => parameters) };
}

/** The conjunction of these conditions. */
export function allOf(...conditions: RowCondition[]): RowCondition {
  return conditions.length === 0
    ? { condition: '1 = 1', parameters: [] }
    : { condition: joined(conditions, 'AND'), parameters: conditions.flatMap(({ parameters }) => parameters) };
}

/** `id IN (…)`. The last value is repeated until their number is a power of two. */
export function idIn(ids: readonly (number | string)[], column = 'id'): RowCondition {
  return listed(column, ids);
}

function membersOf(table: EntityTable, where: ObjectLiteral): RowCondition {
  const parts = Object.entries(where).map(([member, value]) => {
    const column = table.byMember.get(member);
    if (column === undefined) {
      throw new TypeError(`${table.name} has no member ${member}.`);
    }
    return compared(column, value);
  });
  return allOf(...parts);
}

function isSql(where: object): where is RowCondition {
  return 'condition' in where && 'parameters' in where;
}

function joined(parts: readonly RowCondition[], operator: 'AND' | 'OR'): string {
  const [only] = parts;
  const texts = parts.map(({ condition }) => `(${condition})`);
  return parts.length === 1 && only ? only.condition : texts.join(` ${operator} `);
}

function compared(column: EntityColumn, value: unknown): RowCondition {
  if (!(value instanceof FindOperator)) {
    return { condition: `${column.name} = ?`, parameters: [stored(column, value)] };
  }
  const operator = value as FindOperator<unknown>;
  const comparison = COMPARISONS[operator.type];
  if (comparison !== undefined) {
    return { condition: `${column.name} ${comparison} ?`, parameters: [stored(column, operator.value)] };
  }
  switch (operator.type) {
    case 'isNull':
      return { condition: `${column.name} IS NULL`, parameters: [] };
    case 'in': {
      const values = operator.value as readonly unknown[];
      return listed(
        column.name,
        values.map((one) => stored(column, one)),
      );
    }
    case 'not': {
      const { condition, parameters } = compared(column, operator.child ?? operator.value);
      return { condition: `NOT (${condition})`, parameters };
    }
    case 'and': {
      return allOf(...(operator.value as readonly unknown[]).map((one) => compared(column, one)));
    }
    default:
      throw new TypeError(`Rows are not found by the operator ${operator.type}.`);
  }
}

function listed<Value extends StatementValue>(column: string, values: readonly Value[]): RowCondition {
  if (values.length === 0) {
    return { condition: '1 = 0', parameters: [] };
  }
  const length = values.length > LONGEST_FILLED_LIST ? values.length : 2 ** Math.ceil(Math.log2(values.length));
  const parameters = Array.from({ length }, (_element, index) => values[Math.min(index, values.length - 1)] as Value);
  return { condition: `${column} IN (${parameters.map(() => '?').join(', ')})`, parameters };
}

function stored(column: EntityColumn, value: unknown): StatementValue {
  if (value === undefined || value === null) {
    throw new TypeError(`The value of ${column.member} is missing. Rows without one are found by IsNull().`);
  }
  return column.toStored(value);
}
