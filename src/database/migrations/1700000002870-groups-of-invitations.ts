import { MigrationInterface, QueryRunner } from 'typeorm';

/** An invitation can name groups of the new account. Null: none. */
export class GroupsOfInvitations1700000002870 implements MigrationInterface {
  readonly name = 'GroupsOfInvitations1700000002870';

  async up(queryRunner: QueryRunner): Promise<void> {
    const isSqlite = queryRunner.dataSource.driver.options.type === 'better-sqlite3';
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    await queryRunner.query(`ALTER TABLE invitations ADD COLUMN group_ids ${isSqlite ? 'text' : 'mediumtext'} NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE invitations DROP COLUMN group_ids');
  }
}
