import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** What models cost, from when on. */
export class Prices1700000002470 implements MigrationInterface {
  readonly name = 'Prices1700000002470';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    await queryRunner.createTable(
      new Table({
        name: 'prices',
        columns: [
          column.id(),
          column.text('provider', 64, { isNullable }),
          column.text('model', 191),
          column.timestamp('valid_from'),
          column.text('input', 24),
          column.text('cached_input', 24, { isNullable }),
          column.text('cache_write', 24, { isNullable }),
          column.text('output', 24),
          column.text('reasoning', 24, { isNullable }),
          column.text('per_request', 24, { isNullable }),
          column.text('per_image', 24, { isNullable }),
          column.longText('tiers'),
          column.boolean('is_used', { default: false }),
          column.timestamp('created_at'),
          column.timestamp('deleted_at', { isNullable }),
        ],
        indices: [{ name: 'ix_prices_deleted_at', columnNames: ['deleted_at'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('prices');
  }
}
