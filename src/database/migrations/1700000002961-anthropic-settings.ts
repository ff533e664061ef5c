import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Names of models for clients of Anthropic's API, and the settings of their programs. */
export class AnthropicSettings1700000002961 implements MigrationInterface {
  readonly name = 'AnthropicSettings1700000002961';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'anthropic_settings',
        columns: [
          { ...column.text('name', 32), isPrimary: true },
          column.integer('version'),
          column.longText('content'),
          column.timestamp('updated_at'),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('anthropic_settings');
  }
}
