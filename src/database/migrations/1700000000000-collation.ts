import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Has text compared letter by letter on MySQL and MariaDB, as SQLite does: their usual collations take `a` for `A` and
 * `ü` for `u`, and unique keys with them. Tables made from here on inherit it.
 */
export class Collation1700000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (queryRunner.dataSource.options.type !== 'better-sqlite3') {
      await queryRunner.query('ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_bin');
    }
  }

  async down(): Promise<void> {
    // The former collation is not known, and nothing depends on it once the tables are gone.
  }
}
