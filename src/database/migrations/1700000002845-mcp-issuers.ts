import { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = {
  issuer: 'varchar(2000) NULL',
  resource: 'varchar(2000) NULL',
  pkce: "varchar(16) NOT NULL DEFAULT 'required'",
};

/** Administrators may name the issuer and the resource of a server whose metadata names others. */
export class McpIssuers1700000002845 implements MigrationInterface {
  readonly name = 'McpIssuers1700000002845';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [column, type] of Object.entries(COLUMNS)) {
      // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
      await queryRunner.query(`ALTER TABLE mcp_servers ADD COLUMN ${column} ${type}`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const column of Object.keys(COLUMNS)) {
      await queryRunner.query(`ALTER TABLE mcp_servers DROP COLUMN ${column}`);
    }
  }
}
