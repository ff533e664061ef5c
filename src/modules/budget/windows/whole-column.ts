import { Column } from 'typeorm';

/** A part of an amount. Drivers take and return it as text, so that no double is ever made of it. */
export const WholeColumn = (name?: string): PropertyDecorator =>
  Column({
    ...(name !== undefined && { name }),
    type: 'bigint',
    transformer: {
      to: (value: bigint | undefined) => value?.toString(),
      from: (value: string | number | null) => (value === null ? null : BigInt(value)),
    },
  });
