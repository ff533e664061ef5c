import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Agents, the history of their behaviour, and what they did day by day. */
export class Agents1700000000300 implements MigrationInterface {
  readonly name = 'Agents1700000000300';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const behaviour = [
      column.longText('system_prompt'),
      column.text('provider', 64, { isNullable: true }),
      column.text('model', 191, { isNullable: true }),
      column.longText('model_params'),
      column.longText('fallback_models'),
      column.integer('context_max_messages', { isNullable: true }),
      column.integer('context_max_tokens', { isNullable: true }),
      column.integer('timeout_seconds', { isNullable: true }),
    ];
    await queryRunner.createTable(
      new Table({
        name: 'agents',
        columns: [
          column.id(),
          column.text('name', 64),
          column.text('name_key', 255),
          column.integer('deletion_marker', { default: 0 }),
          column.text('description', 1000),
          column.text('avatar', 255),
          column.text('category', 64),
          column.longText('tags'),
          column.longText('opening_message'),
          column.longText('suggested_questions'),
          column.text('access_level', 16),
          column.integer('is_default', { isNullable: true }),
          column.text('status', 16),
          column.integer('sort_order'),
          ...behaviour,
          column.integer('version'),
          column.timestamp('created_at'),
          column.timestamp('updated_at'),
          column.timestamp('deleted_at', { isNullable: true }),
        ],
        indices: [
          { name: 'uq_agents_name', columnNames: ['name_key', 'deletion_marker'], isUnique: true },
          { name: 'uq_agents_is_default', columnNames: ['is_default'], isUnique: true },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'agent_versions',
        columns: [
          column.id(),
          column.integer('agent_id'),
          column.integer('version'),
          ...behaviour,
          column.integer('created_by', { isNullable: true }),
          column.timestamp('created_at'),
        ],
        indices: [{ name: 'uq_agent_versions_version', columnNames: ['agent_id', 'version'], isUnique: true }],
      }),
    );
    const counter = { default: 0 };
    await queryRunner.createTable(
      new Table({
        name: 'agent_stats',
        columns: [
          { ...column.integer('agent_id'), isPrimary: true },
          { ...column.integer('day'), isPrimary: true },
          { ...column.integer('bucket'), isPrimary: true },
          { ...column.integer('shard'), isPrimary: true },
          column.integer('chats', counter),
          column.integer('messages', counter),
          column.bigInteger('tokens', counter),
          column.integer('replies', counter),
          column.integer('errors', counter),
          column.integer('likes', counter),
          column.integer('dislikes', counter),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['agent_stats', 'agent_versions', 'agents']) {
      await queryRunner.dropTable(table);
    }
  }
}
