import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Servers whose tools agents can call (MCP), and what an administrator said about each tool. */
export class McpServers1700000002640 implements MigrationInterface {
  readonly name = 'McpServers1700000002640';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    await queryRunner.createTable(
      new Table({
        name: 'mcp_servers',
        columns: [
          column.id(),
          column.text('label', 32),
          column.text('url', 2_000),
          column.text('auth', 16),
          column.text('client_id', 255, { isNullable }),
          column.longText('client_secret', { isNullable }),
          column.longText('scopes'),
          column.longText('headers', { isNullable }),
          column.longText('header_names'),
          column.longText('group_ids', { isNullable }),
          column.longText('allowed_tools', { isNullable }),
          column.longText('policies'),
          column.boolean('trust_annotations'),
          column.text('elicitation', 16),
          column.integer('timeout'),
          column.text('protocol', 16),
          column.boolean('is_active'),
          column.timestamp('listed_at', { isNullable }),
          column.integer('list_ttl', { isNullable }),
          column.timestamp('created_at'),
          column.timestamp('updated_at'),
        ],
        indices: [{ name: 'uq_mcp_servers_label', columnNames: ['label'], isUnique: true }],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'mcp_tools',
        columns: [
          column.id(),
          column.integer('server_id'),
          column.text('name', 255),
          column.text('name_hash', 64),
          column.text('told_name', 64),
          column.text('state', 16),
          column.text('pin', 64),
          column.longText('definition', { isNullable }),
          column.text('approved_pin', 64, { isNullable }),
          column.longText('approved_definition', { isNullable }),
          column.longText('problems'),
          column.longText('approved_problems'),
          column.timestamp('created_at'),
          column.timestamp('updated_at'),
        ],
        indices: [
          { name: 'uq_mcp_tools_server_id_name_hash', columnNames: ['server_id', 'name_hash'], isUnique: true },
          { name: 'ix_mcp_tools_told_name', columnNames: ['told_name'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of ['mcp_tools', 'mcp_servers']) {
      await queryRunner.dropTable(name);
    }
  }
}
