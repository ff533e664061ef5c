import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Who is connected with which server of tools, who is about to be, and what is still to be given back. */
export class McpConnections1700000002690 implements MigrationInterface {
  readonly name = 'McpConnections1700000002690';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    await queryRunner.createTable(
      new Table({
        name: 'mcp_connections',
        columns: [
          column.id(),
          column.integer('server_id'),
          column.integer('user_id', { isNullable }),
          column.text('issuer', 2_000),
          column.text('resource', 2_000),
          column.longText('sealed'),
          column.longText('scopes'),
          column.longText('wanted_scopes'),
          column.text('account', 255, { isNullable }),
          column.timestamp('expires_at', { isNullable }),
          column.integer('version'),
          column.integer('attempts'),
          column.text('lease_token', 36, { isNullable }),
          column.timestamp('leased_until', { isNullable }),
          column.timestamp('connected_at'),
        ],
        indices: [
          { name: 'uq_mcp_connections_server_id_user_id', columnNames: ['server_id', 'user_id'], isUnique: true },
          { name: 'ix_mcp_connections_user_id', columnNames: ['user_id'] },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'mcp_connection_flows',
        columns: [
          column.id(),
          column.integer('user_id'),
          column.integer('session_id'),
          column.integer('server_id'),
          column.text('token_hash', 64),
          column.text('browser_hash', 64),
          column.text('return_to', 2_048),
          column.longText('sealed'),
          column.timestamp('expires_at'),
        ],
        indices: [
          { name: 'uq_mcp_connection_flows_token_hash', columnNames: ['token_hash'], isUnique: true },
          { name: 'ix_mcp_connection_flows_user_id', columnNames: ['user_id'] },
          { name: 'ix_mcp_connection_flows_server_id', columnNames: ['server_id'] },
          { name: 'ix_mcp_connection_flows_expires_at', columnNames: ['expires_at'] },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'mcp_registrations',
        columns: [
          column.id(),
          column.integer('server_id'),
          column.text('issuer', 2_000),
          column.text('redirect_uri', 2_000),
          column.longText('sealed'),
        ],
        indices: [{ name: 'uq_mcp_registrations_server_id', columnNames: ['server_id'], isUnique: true }],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'mcp_revocations',
        columns: [
          column.id(),
          column.longText('sealed'),
          column.integer('attempts'),
          column.text('claim_token', 36, { isNullable }),
          column.timestamp('due_at'),
        ],
        indices: [{ name: 'ix_mcp_revocations_due_at', columnNames: ['due_at'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of ['mcp_revocations', 'mcp_registrations', 'mcp_connection_flows', 'mcp_connections']) {
      await queryRunner.dropTable(name);
    }
  }
}
