import type { QueryRunner, TableColumnOptions } from 'typeorm';

type Options = Pick<TableColumnOptions, 'isNullable' | 'default'>;

/**
 * Column definitions for migrations. They result in the same schema as the helpers in `columns.ts`, on every engine.
 */
export interface MigrationColumns {
  /** `id`: the primary key, never reused. */
  id(): TableColumnOptions;
  /** Text of at most `length` characters. */
  text(name: string, length: number, options?: Options): TableColumnOptions;
  /** For `@LongTextColumn` and `@JsonColumn`. */
  longText(name: string, options?: Options): TableColumnOptions;
  /** For `@LongBytesColumn`. */
  longBytes(name: string, options?: Options): TableColumnOptions;
  integer(name: string, options?: Options): TableColumnOptions;
  /** For `@BigIntegerColumn`. */
  bigInteger(name: string, options?: Options): TableColumnOptions;
  boolean(name: string, options?: Options): TableColumnOptions;
  /** For a plain `@Column('double')`. */
  double(name: string, options?: Options): TableColumnOptions;
  /** For `@TimestampColumn` and `@DeletedAtColumn`. */
  timestamp(name: string, options?: Options): TableColumnOptions;
}

/**
 * @example
 * const column = migrationColumns(queryRunner);
 * new Table({ columns: [column.id(), column.text('name', 64)] });
 */
export function migrationColumns(queryRunner: QueryRunner): MigrationColumns {
  const isMysql = queryRunner.dataSource.driver.options.type !== 'better-sqlite3';
  const integer = isMysql ? 'int' : 'integer';
  return {
    id: () => ({ name: 'id', type: integer, isPrimary: true, isGenerated: true, generationStrategy: 'increment' }),
    text: (name, length, options) => ({ name, type: 'varchar', length: String(length), ...options }),
    longText: (name, options) => ({ name, type: isMysql ? 'mediumtext' : 'text', ...options }),
    longBytes: (name, options) => ({ name, type: isMysql ? 'mediumblob' : 'blob', ...options }),
    integer: (name, options) => ({ name, type: integer, ...options }),
    bigInteger: (name, options) => ({ name, type: 'bigint', ...options }),
    boolean: (name, options) => ({
      name,
      type: isMysql ? 'tinyint' : 'boolean',
      ...(isMysql && { width: 1 }),
      ...options,
    }),
    double: (name, options) => ({ name, type: 'double', ...options }),
    timestamp: (name, options) => ({ name, type: 'datetime', precision: 3, ...options }),
  };
}
