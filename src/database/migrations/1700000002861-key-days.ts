import { MigrationInterface, QueryRunner } from 'typeorm';

/** A provider may stop the API keys of people who no longer sign in with it. */
export class KeyDays1700000002861 implements MigrationInterface {
  readonly name = 'KeyDays1700000002861';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE identity_providers ADD COLUMN key_days integer NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE identity_providers DROP COLUMN key_days');
  }
}
