import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

const NULLABLE = { isNullable: true };

/** Model providers that administrators manage. */
export class ModelProviders1700000000800 implements MigrationInterface {
  readonly name = 'ModelProviders1700000000800';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'model_providers',
        columns: [
          column.id(),
          column.text('name', 64),
          column.text('name_key', 64),
          column.text('kind', 32),
          column.text('base_url', 2048, NULLABLE),
          column.longText('api_key', NULLABLE),
          column.text('model', 191, NULLABLE),
          column.integer('context_tokens', NULLABLE),
          column.integer('is_default', NULLABLE),
          column.boolean('is_active'),
          column.timestamp('created_at'),
          column.timestamp('updated_at'),
        ],
        indices: [
          { name: 'uq_model_providers_name', columnNames: ['name_key'], isUnique: true },
          { name: 'uq_model_providers_is_default', columnNames: ['is_default'], isUnique: true },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('model_providers');
  }
}
