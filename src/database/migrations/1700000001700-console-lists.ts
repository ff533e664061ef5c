import { MigrationInterface, QueryRunner } from 'typeorm';

/** What the lists and plots of administrators are found by: each index serves a period or an order over all users. */
const INDICES = [
  { name: 'ix_users_created_at', table: 'users', columns: 'created_at' },
  { name: 'ix_chats_created_at', table: 'chats', columns: 'created_at' },
  { name: 'ix_agent_stats_day', table: 'agent_stats', columns: 'day, agent_id' },
  { name: 'ix_webhook_deliveries_created_at', table: 'webhook_deliveries', columns: 'endpoint_id, created_at' },
];

/** None of the columns changes with a message, so messages cost what they did. */
export class ConsoleLists1700000001700 implements MigrationInterface {
  readonly name = 'ConsoleLists1700000001700';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const { name, table, columns } of INDICES) {
      await queryRunner.query(`CREATE INDEX ${name} ON ${table} (${columns})`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const isSqlite = queryRunner.dataSource.driver.options.type === 'better-sqlite3';
    for (const { name, table } of [...INDICES].reverse()) {
      await queryRunner.query(`DROP INDEX ${name}${isSqlite ? '' : ` ON ${table}`}`);
    }
  }
}
