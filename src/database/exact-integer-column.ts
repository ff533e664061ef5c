import { Column, type ColumnOptions } from 'typeorm';
import { toWhole } from '../common/money/stored-amount';

/** A whole number that JavaScript must not round, such as a part of an amount of money: a bigint, written as text. */
export const ExactIntegerColumn = (options: Pick<ColumnOptions, 'name' | 'nullable' | 'default'>): PropertyDecorator =>
  Column({
    type: 'bigint',
    ...options,
    transformer: {
      to: (value: unknown) => (typeof value === 'bigint' ? value.toString() : value),
      from: (value: unknown) => (value === null ? null : toWhole(value)),
    },
  });
