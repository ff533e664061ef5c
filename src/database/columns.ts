import { Column, type ColumnOptions, type ColumnType, DeleteDateColumn, getMetadataArgsStorage } from 'typeorm';
import type { ConnectionSettings } from './connection/connection-settings';

type Options = Pick<ColumnOptions, 'nullable' | 'name' | 'default' | 'select'>;

/** Columns whose types differ between engines. */
const differing: {
  target: object;
  property: string | symbol;
  type: Record<ConnectionSettings['dialect'], ColumnType>;
}[] = [];

/**
 * An instant, UTC, in milliseconds. The code sets it from the clock, because SQLite's own times have only whole
 * seconds.
 */
export const TimestampColumn = (options: Options = {}): PropertyDecorator =>
  Column({ type: 'datetime', precision: 3, ...options });

/** When the row was soft-deleted. Ordinary queries do not find such rows. */
export const DeletedAtColumn = (): PropertyDecorator =>
  DeleteDateColumn({ name: 'deleted_at', type: 'datetime', precision: 3, nullable: true });

/** Text of up to 16 MB: `text` on SQLite, `mediumtext` on MySQL, whose `text` ends at 64 KB. */
export function LongTextColumn(options: Options & Pick<ColumnOptions, 'transformer'> = {}): PropertyDecorator {
  return differingColumn({ sqlite: 'text', mysql: 'mediumtext' }, options);
}

/** Up to 16 MB of bytes: `blob` on SQLite, `mediumblob` on MySQL, whose `blob` ends at 64 KB. */
export const LongBytesColumn = (options: Options = {}): PropertyDecorator =>
  differingColumn({ sqlite: 'blob', mysql: 'mediumblob' }, options);

/** A JSON value of up to 16 MB. It is always read and written as a whole. */
export const JsonColumn = (options: Options = {}): PropertyDecorator =>
  LongTextColumn({
    ...options,
    transformer: {
      to: (value: unknown) => (value === undefined || value === null ? value : JSON.stringify(value)),
      from: (value: string | null) => (value === null ? null : (JSON.parse(value) as unknown)),
    },
  });

/** A whole number up to 2^53, such as a sum of tokens. Drivers return such columns as text. */
export const BigIntegerColumn = (options: Options = {}): PropertyDecorator =>
  Column({
    type: 'bigint',
    ...options,
    transformer: {
      to: (value: unknown) => value,
      from: (value: string | number | null) => (value === null ? null : Number(value)),
    },
  });

/** Sets the type of columns whose type differs between engines. Call it before you create a DataSource. */
export function applyDialectTypes(dialect: ConnectionSettings['dialect']): void {
  for (const column of getMetadataArgsStorage().columns) {
    const found = differing.find(
      ({ target, property }) => target === column.target && property === column.propertyName,
    );
    column.options.type = found?.type[dialect] ?? column.options.type;
  }
}

function differingColumn(
  type: Record<ConnectionSettings['dialect'], ColumnType>,
  options: ColumnOptions,
): PropertyDecorator {
  return (target, property) => {
    differing.push({ target: target.constructor, property, type });
    Column({ ...options, type: type.sqlite })(target, property);
  };
}
