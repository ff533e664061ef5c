import { MigrationInterface, QueryRunner } from 'typeorm';

/** The users whose storage has a blob, so that a file that is also in their messages counts once. */
export class UsersOfBlobHolders1700000003041 implements MigrationInterface {
  readonly name = 'UsersOfBlobHolders1700000003041';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE blob_holders ADD COLUMN user_id integer NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE blob_holders DROP COLUMN user_id');
  }
}
