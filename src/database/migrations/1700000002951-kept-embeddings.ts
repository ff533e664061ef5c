import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { type MigrationColumns, migrationColumns } from '../migration-columns';

const isNullable = true;

/** Responses with vectors to requests with an `Idempotency-Key`. */
export class KeptEmbeddings1700000002951 implements MigrationInterface {
  readonly name = 'KeptEmbeddings1700000002951';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables(migrationColumns(queryRunner))) {
      await queryRunner.createTable(table);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { name } of tables(migrationColumns(queryRunner)).reverse()) {
      await queryRunner.dropTable(name);
    }
  }
}

function tables(column: MigrationColumns): Table[] {
  return [
    new Table({
      name: 'openai_embeddings',
      columns: [
        column.id(),
        column.integer('user_id'),
        column.integer('request_id'),
        column.integer('bytes'),
        column.integer('dimensions', { isNullable }),
        column.integer('tokens', { isNullable }),
        column.text('cost', 64, { isNullable }),
        column.timestamp('created_at'),
      ],
      indices: [
        { name: 'ix_openai_embeddings_user_id', columnNames: ['user_id'] },
        { name: 'ix_openai_embeddings_created_at', columnNames: ['created_at'] },
      ],
    }),
    new Table({
      name: 'openai_embedding_vectors',
      columns: [
        { ...column.integer('embeddings_id'), isPrimary: true },
        { ...column.integer('number'), isPrimary: true },
        column.longBytes('data'),
      ],
    }),
  ];
}
