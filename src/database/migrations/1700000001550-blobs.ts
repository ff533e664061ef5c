import { MigrationInterface, QueryRunner, Table, type TableColumnOptions } from 'typeorm';
import { migrationColumns } from '../migration-columns';

const TABLES = ['blobs', 'blob_pieces', 'blob_references'];

/** Images and files of messages: what is stored, on servers its bytes, and which messages need it. */
export class Blobs1700000001550 implements MigrationInterface {
  readonly name = 'Blobs1700000001550';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const key = (definition: TableColumnOptions): TableColumnOptions => ({ ...definition, isPrimary: true });
    const blobs = new Table({
      name: 'blobs',
      columns: [
        key(column.text('hash', 64)),
        column.integer('bytes'),
        column.boolean('is_referenced'),
        column.timestamp('touched_at'),
      ],
      indices: [{ name: 'ix_blobs_is_referenced', columnNames: ['is_referenced', 'touched_at'] }],
    });
    const pieces = new Table({
      name: 'blob_pieces',
      columns: [key(column.text('hash', 64)), key(column.integer('number')), column.longBytes('data')],
    });
    const references = new Table({
      name: 'blob_references',
      columns: [key(column.integer('message_id')), key(column.text('hash', 64))],
      indices: [{ name: 'ix_blob_references_hash', columnNames: ['hash'] }],
    });
    for (const table of [blobs, pieces, references]) {
      await queryRunner.createTable(table);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await queryRunner.dropTable(table);
    }
  }
}
