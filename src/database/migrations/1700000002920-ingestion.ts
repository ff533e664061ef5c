import { MigrationInterface, QueryRunner, Table, TableColumn, TableIndex } from 'typeorm';
import { type MigrationColumns, migrationColumns } from '../migration-columns';

const isNullable = true;
const PASSAGES = 'knowledge_passages';
const BY_HASH = 'ix_knowledge_passages_hash';

/** Whose files are being ingested, the headings of texts, and embedding models with their requests. */
export class Ingestion1700000002920 implements MigrationInterface {
  readonly name = 'Ingestion1700000002920';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    for (const table of tables(column)) {
      await queryRunner.createTable(table);
    }
    // Both tables are new, so no row is copied.
    await queryRunner.addColumn('knowledge_texts', new TableColumn(column.longText('headings', { isNullable })));
    await queryRunner.createIndex(PASSAGES, new TableIndex({ name: BY_HASH, columnNames: ['hash'] }));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex(PASSAGES, BY_HASH);
    await queryRunner.dropColumn('knowledge_texts', 'headings');
    for (const { name } of tables(migrationColumns(queryRunner)).reverse()) {
      await queryRunner.dropTable(name);
    }
  }
}

function tables(column: MigrationColumns): Table[] {
  return [
    new Table({
      name: 'knowledge_turns',
      columns: [
        { ...column.integer('owner_id'), isPrimary: true },
        column.integer('job_id', { isNullable }),
        column.timestamp('served_at'),
      ],
    }),
    new Table({
      name: 'embedding_generations',
      columns: [
        column.id(),
        column.text('provider', 64),
        column.text('model', 191),
        column.integer('dimensions', { isNullable }),
        column.integer('length', { isNullable }),
        column.text('state', 16),
        column.integer('payer_id', { isNullable }),
        column.timestamp('created_at'),
        column.boolean('is_filling'),
        column.text('lease_owner', 64, { isNullable }),
        column.timestamp('leased_until', { isNullable }),
      ],
    }),
    new Table({
      name: 'embedding_batches',
      columns: [
        column.id(),
        column.integer('ingestion_id'),
        column.integer('generation'),
        column.longText('passage_ids'),
        column.text('state', 16),
        column.integer('losses'),
        column.integer('refusals'),
      ],
      indices: [{ name: 'ix_embedding_batches_ingestion_id', columnNames: ['ingestion_id', 'generation'] }],
    }),
    new Table({
      name: 'embedding_leases',
      columns: [
        { ...column.integer('ingestion_id'), isPrimary: true },
        { ...column.integer('generation'), isPrimary: true },
        column.text('owner', 64),
        column.timestamp('leased_until'),
      ],
    }),
    new Table({
      name: 'embedding_queries',
      columns: [
        { ...column.integer('user_id'), isPrimary: true },
        { ...column.integer('generation'), isPrimary: true },
        { ...column.text('hash', 64), isPrimary: true },
        column.longBytes('vector'),
        column.timestamp('expires_at'),
      ],
      indices: [{ name: 'ix_embedding_queries_expires_at', columnNames: ['expires_at'] }],
    }),
    new Table({
      name: 'embedding_days',
      columns: [
        { ...column.integer('user_id'), isPrimary: true },
        { ...column.integer('day'), isPrimary: true },
        column.bigInteger('tokens', { default: 0 }),
      ],
    }),
  ];
}
