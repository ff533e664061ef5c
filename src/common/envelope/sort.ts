import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';

/** The sort order of a list: a field for ascending order, with a minus before it for descending order. */
export type Sort<Field extends string> = Field | `-${Field}`;

/** The sort order in the form that queries use. */
export interface Order<Field extends string> {
  by: Field;
  direction: 'ASC' | 'DESC';
}

/**
 * The query parameter `sort`.
 *
 * @param fields by which the list can be sorted
 * @param standard the default sort order
 */
export function SortParameter<Field extends string>(
  fields: readonly Field[],
  standard: Sort<Field> | undefined,
  description = 'A field name. Add a minus in front for descending order.',
): PropertyDecorator {
  const sorts = fields.flatMap((field): Sort<Field>[] => [field, `-${field}`]);
  return applyDecorators(IsIn(sorts), ApiPropertyOptional({ enum: sorts, default: standard, description }));
}

export function orderOf<Field extends string>(sort: Sort<Field>): Order<Field> {
  return { by: sort.replace(/^-/, '') as Field, direction: sort.startsWith('-') ? 'DESC' : 'ASC' };
}
