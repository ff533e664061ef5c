import { MigrationInterface, QueryRunner } from 'typeorm';

/** A blob says that its bytes are about to go, so that nobody stores the same ones meanwhile, on whichever node. */
export class BlobsBeingErased1700000002770 implements MigrationInterface {
  readonly name = 'BlobsBeingErased1700000002770';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    await queryRunner.query('ALTER TABLE blobs ADD COLUMN erasing_at datetime(3) NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE blobs DROP COLUMN erasing_at');
  }
}
