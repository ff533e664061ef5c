import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Names that others give: a blank at the end must not make somebody else's of one. `*` stands for the collation. None of them is
 * searched by parts: MySQL's LOWER cuts texts of its exact collation whose small letters need more bytes.
 */
const NAMES: Record<string, string[]> = {
  identities: ['subject varchar(255) COLLATE * NULL', 'external_id varchar(255) COLLATE * NULL'],
  scim_users: ['user_name_key varchar(255) COLLATE * NOT NULL'],
  user_groups: ['external_id varchar(255) COLLATE * NULL'],
  prices: ['provider varchar(64) COLLATE * NULL'],
  missing_prices: ['provider varchar(64) COLLATE * NOT NULL', 'model varchar(191) COLLATE * NOT NULL'],
};

/** Compares byte for byte, which `utf8mb4_bin` does but for blanks at the end. MariaDB and MySQL have different names for it. */
const EXACT = `SELECT collation_name AS name FROM information_schema.collations
  WHERE collation_name IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin') ORDER BY collation_name DESC LIMIT 1`;

/** On servers `sub` and `sub ` are two people, groups or providers, as they are on SQLite. */
export class ExactNames1700000002800 implements MigrationInterface {
  readonly name = 'ExactNames1700000002800';

  async up(queryRunner: QueryRunner): Promise<void> {
    if (isSqlite(queryRunner)) {
      return;
    }
    const [exact] = (await queryRunner.query(EXACT)) as { name: string }[];
    // MySQL before 8.0.17 has none.
    if (exact !== undefined) {
      await collate(queryRunner, exact.name);
    }
  }

  /** Nothing: versions before run on these columns, and two names that differ by a blank fit into no others. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}

async function collate(queryRunner: QueryRunner, collation: string): Promise<void> {
  for (const [table, columns] of Object.entries(NAMES)) {
    const changes = columns.map((column) => `MODIFY ${column.replace('*', collation)}`);
    await queryRunner.query(`ALTER TABLE ${table} ${changes.join(', ')}`);
  }
}

function isSqlite(queryRunner: QueryRunner): boolean {
  return queryRunner.dataSource.driver.options.type === 'better-sqlite3';
}
