import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/**
 * What users have allowed once and for all, which calls were proposed while a model was told text from outside, and what readers
 * had when a decision was taken.
 */
export class ToolApprovals1700000002600 implements MigrationInterface {
  readonly name = 'ToolApprovals1700000002600';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'tool_approvals',
        columns: [
          column.id(),
          column.integer('user_id'),
          column.text('tool', 64),
          column.text('pin', 64, { isNullable: true }),
          column.text('scope', 8),
          column.integer('target_id'),
          column.timestamp('created_at'),
        ],
        indices: [
          {
            name: 'uq_tool_approvals_user_id',
            columnNames: ['user_id', 'scope', 'target_id', 'tool'],
            isUnique: true,
          },
        ],
      }),
    );
    const { type } = column.boolean('tainted');
    // Not `addColumn`, which copies the whole table on SQLite: these need only the schema.
    await queryRunner.query(
      `ALTER TABLE tool_calls ADD COLUMN tainted ${type === 'tinyint' ? 'tinyint(1)' : type} NULL`,
    );
    await queryRunner.query('ALTER TABLE tool_actions ADD COLUMN told_text integer NULL');
    await queryRunner.query('ALTER TABLE tool_actions ADD COLUMN told_news integer NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE tool_actions DROP COLUMN told_news');
    await queryRunner.query('ALTER TABLE tool_actions DROP COLUMN told_text');
    await queryRunner.query('ALTER TABLE tool_calls DROP COLUMN tainted');
    await queryRunner.dropTable('tool_approvals');
  }
}
