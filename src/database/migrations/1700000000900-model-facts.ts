import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** What was learned of models from what their providers refused. */
export class ModelFacts1700000000900 implements MigrationInterface {
  readonly name = 'ModelFacts1700000000900';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'model_facts',
        columns: [
          column.id(),
          column.text('provider', 64),
          column.text('endpoint', 32),
          column.text('model', 191),
          column.text('parameter', 64),
          column.longText('adjustment'),
          column.timestamp('learned_at'),
        ],
        indices: [
          { name: 'uq_model_facts', columnNames: ['provider', 'endpoint', 'model', 'parameter'], isUnique: true },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('model_facts');
  }
}
