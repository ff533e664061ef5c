import * as v from 'valibot';
import { described } from '../../../common/validation/schemas/described';
import { maxCharacters } from '../../../common/validation/schemas/max-characters';
import { namedSchema, schemaPath } from '../../../common/validation/schemas/named-schema';
import type { StatementValue } from '../../../database/connection/statement-result';
import type { RowCondition } from '../../../database/statements/row-condition';

type Value = string | number | boolean;

interface Comparison<Type extends string, Compared> {
  type: Type;
  key: string;
  value: Compared;
}

type Equality = Comparison<'eq' | 'ne', Value>;
type Order = Comparison<'gt' | 'gte' | 'lt' | 'lte', string | number>;
type Membership = Comparison<'in' | 'nin', Value[]>;

interface Combination {
  type: 'and' | 'or';
  filters: SearchFilter[];
}

/** Selects entries by their attributes. */
export type SearchFilter = Equality | Order | Membership | Combination;

const MOST_LEVELS = 5;
const MOST_COMPARISONS = 50;
const MOST_VALUES = 100;

// An attribute has no longer names and texts.
const key = described(v.pipe(v.string(), v.minLength(1), maxCharacters(64)), 'Name of the attribute.', 'product');
const text = v.pipe(v.string(), maxCharacters(512));
const amount = v.pipe(v.number(), v.finite());
const value = v.union([text, amount, v.boolean()]);

/** The name of the schema in the OpenAPI document. */
const NAME = 'KnowledgeFilter';

/**
 * Any filter. The document refers to its schema by name: as a `lazy` schema, it would refer to a definition that the
 * document does not have.
 */
const anyFilter = v.pipe(
  { ...v.lazy(() => searchFilter), type: 'custom' } as unknown as v.GenericSchema<SearchFilter>,
  v.metadata({ $ref: schemaPath(NAME) }),
);

/** One comparison, or several that are combined. */
export const searchFilter: v.GenericSchema<SearchFilter> = v.variant('type', [
  v.object({
    type: described(v.picklist(['eq', 'ne']), 'Equal or not equal.', 'eq'),
    key,
    value: described(value, 'The value, of the same type.', 'router'),
  }),
  v.object({
    type: described(v.picklist(['gt', 'gte', 'lt', 'lte']), 'Greater or less, or equal.', 'gte'),
    key,
    value: described(v.union([text, amount]), 'The bound: numbers compare as numbers, texts by code point.', 2025),
  }),
  v.object({
    type: described(v.picklist(['in', 'nin']), 'One of the values, or none of them.', 'in'),
    key,
    value: described(v.pipe(v.array(value), v.maxLength(MOST_VALUES)), 'The values.', ['router', 'switch']),
  }),
  v.object({
    type: described(v.picklist(['and', 'or']), 'All of the filters, or one of them.', 'and'),
    filters: described(
      v.pipe(v.array(anyFilter), v.minLength(1), v.maxLength(MOST_COMPARISONS)),
      'The combined filters.',
      [{ type: 'eq', key: 'product', value: 'router' }],
    ),
  }),
]);

export const SEARCH_FILTER = namedSchema(NAME, searchFilter);

/** A filter that is not too large. */
export const limitedFilter = v.pipe(
  anyFilter,
  v.check((filter) => levelsOf(filter) <= MOST_LEVELS, 'nested_too_deeply'),
  v.check((filter) => comparisonsOf(filter) <= MOST_COMPARISONS, 'too_many_comparisons'),
);

const VALUE_COLUMNS = { string: 'text_value', number: 'number_value', boolean: 'boolean_value' } as const;
const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/**
 * The entries that a filter selects, as a condition about rows of `entry`. An attribute that is missing, or has another
 * type, satisfies only `ne` and `nin`.
 *
 */
export function filterCondition(filter: SearchFilter): RowCondition {
  switch (filter.type) {
    case 'and':
    case 'or': {
      const parts = filter.filters.map(filterCondition);
      const condition = parts.map((part) => part.condition).join(filter.type === 'and' ? ' AND ' : ' OR ');
      return { condition: `(${condition})`, parameters: parts.flatMap(({ parameters }) => parameters) };
    }
    case 'eq':
      return attributeCondition(filter.key, [filter.value], '=');
    case 'ne':
      return not(attributeCondition(filter.key, [filter.value], '='));
    case 'in':
      return attributeCondition(filter.key, filter.value, '=');
    case 'nin':
      return not(attributeCondition(filter.key, filter.value, '='));
    default:
      return attributeCondition(filter.key, [filter.value], OPERATORS[filter.type]);
  }
}

/** Entries whose attribute compares so with one of the values. Columns of servers compare texts by code point. */
function attributeCondition(name: string, values: readonly Value[], operator: string): RowCondition {
  if (values.length === 0) {
    return { condition: '1 = 0', parameters: [] };
  }
  const any = values.map((each) => `${VALUE_COLUMNS[typeof each as keyof typeof VALUE_COLUMNS]} ${operator} ?`);
  const parameters: StatementValue[] = [name, ...values];
  return {
    condition: `EXISTS (SELECT 1 FROM knowledge_attributes
      WHERE entry_id = entry.id AND name = ? AND (${any.join(' OR ')}))`,
    parameters,
  };
}

function not({ condition, parameters }: RowCondition): RowCondition {
  return { condition: `NOT (${condition})`, parameters };
}

function levelsOf(filter: SearchFilter): number {
  return 'filters' in filter ? 1 + Math.max(...filter.filters.map(levelsOf)) : 1;
}

function comparisonsOf(filter: SearchFilter): number {
  return 'filters' in filter ? filter.filters.reduce((sum, each) => sum + comparisonsOf(each), 0) : 1;
}
