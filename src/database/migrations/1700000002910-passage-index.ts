import { MigrationInterface, QueryRunner, Table, type TableColumnOptions } from 'typeorm';
import { type MigrationColumns, migrationColumns } from '../migration-columns';

/** The words and vectors of passages, by which collections are searched. */
export class PassageIndex1700000002910 implements MigrationInterface {
  readonly name = 'PassageIndex1700000002910';

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
  const key = (definition: TableColumnOptions): TableColumnOptions => ({ ...definition, isPrimary: true });
  return [
    new Table({
      name: 'knowledge_word_parts',
      columns: [
        key(column.integer('first_id')),
        column.integer('ingestion_id'),
        column.integer('store_id'),
        column.integer('passages'),
        column.integer('length'),
      ],
      indices: [{ name: 'ix_knowledge_word_parts_store_id', columnNames: ['store_id'] }],
    }),
    new Table({
      name: 'knowledge_words',
      columns: [
        key(column.integer('store_id')),
        key(column.bigInteger('term')),
        key(column.integer('first_id')),
        column.integer('ingestion_id'),
        { name: 'postings', type: 'blob' },
      ],
      indices: [{ name: 'ix_knowledge_words_first_id', columnNames: ['first_id'] }],
      withoutRowid: true,
    }),
    new Table({
      name: 'knowledge_vectors',
      columns: [key(column.integer('passage_id')), key(column.integer('generation')), column.longBytes('vector')],
      indices: [{ name: 'ix_knowledge_vectors_generation', columnNames: ['generation', 'passage_id'] }],
    }),
    new Table({
      name: 'knowledge_segments',
      columns: [
        column.id(),
        column.integer('store_id'),
        column.integer('generation'),
        column.integer('level'),
        column.integer('passages'),
        column.longBytes('members'),
        column.longBytes('data'),
      ],
      indices: [{ name: 'ix_knowledge_segments_store_id', columnNames: ['store_id', 'generation', 'level'] }],
    }),
  ];
}
