import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** What may be spent, what was spent of it, and what running replies hold. */
export class Budgets1700000002490 implements MigrationInterface {
  readonly name = 'Budgets1700000002490';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    await queryRunner.createTable(
      new Table({
        name: 'budgets',
        columns: [
          column.id(),
          column.text('scope', 16),
          column.integer('scope_id', { isNullable }),
          column.text('plan', 16, { isNullable }),
          column.boolean('each_user'),
          column.text('period', 8),
          column.bigInteger('limit_units'),
          column.bigInteger('limit_picos'),
          column.text('mode', 8),
          column.longText('thresholds'),
          column.timestamp('starts_at'),
          column.timestamp('counted_from'),
          column.text('note', 500, { isNullable }),
          column.timestamp('created_at'),
          column.timestamp('updated_at'),
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'budget_windows',
        columns: [
          column.id(),
          column.integer('budget_id'),
          column.integer('user_id'),
          column.timestamp('starts_at'),
          column.timestamp('ends_at', { isNullable }),
          column.boolean('is_hard'),
          column.bigInteger('limit_units'),
          column.bigInteger('limit_picos'),
          column.bigInteger('spent_units'),
          column.bigInteger('spent_picos'),
          column.bigInteger('reserved_units'),
          column.bigInteger('reserved_picos'),
          column.integer('told_percent'),
          column.timestamp('exceeded_at', { isNullable }),
        ],
        indices: [
          {
            name: 'ux_budget_windows_budget_id_user_id_starts_at',
            columnNames: ['budget_id', 'user_id', 'starts_at'],
            isUnique: true,
          },
          { name: 'ix_budget_windows_user_id', columnNames: ['user_id'] },
          { name: 'ix_budget_windows_ends_at', columnNames: ['ends_at'] },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'budget_holds',
        columns: [
          { ...column.integer('message_id'), isPrimary: true },
          { ...column.text('name', 40), isPrimary: true },
          { ...column.integer('window_id'), isPrimary: true },
          column.bigInteger('units'),
          column.bigInteger('picos'),
          column.bigInteger('least_units'),
          column.bigInteger('least_picos'),
          column.text('owner_id', 36),
          column.timestamp('created_at'),
        ],
        indices: [{ name: 'ix_budget_holds_window_id', columnNames: ['window_id'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('budget_holds');
    await queryRunner.dropTable('budget_windows');
    await queryRunner.dropTable('budgets');
  }
}
