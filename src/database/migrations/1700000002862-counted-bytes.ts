import { MigrationInterface, QueryRunner } from 'typeorm';

/** New files count at least what they take on a disk. Those that are there keep what they were counted with. */
export class CountedBytes1700000002862 implements MigrationInterface {
  readonly name = 'CountedBytes1700000002862';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE blobs ADD COLUMN counted_bytes integer NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE blobs DROP COLUMN counted_bytes');
  }
}
