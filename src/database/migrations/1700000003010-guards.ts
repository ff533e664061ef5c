import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Services that check texts, what they found in texts of conversations, and the checks of replies. */
export class Guards1700000003010 implements MigrationInterface {
  readonly name = 'Guards1700000003010';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    await queryRunner.createTable(
      new Table({
        name: 'guards',
        columns: [
          column.id(),
          column.text('name', 32),
          column.text('kind', 16),
          column.text('url', 2_000, { isNullable }),
          column.longText('secret', { isNullable }),
          column.longText('headers', { isNullable }),
          column.longText('header_names'),
          column.longText('stages'),
          column.text('mode', 16),
          column.text('on_error', 16),
          column.integer('timeout_ms'),
          column.longText('group_ids', { isNullable }),
          column.longText('agent_ids', { isNullable }),
          column.integer('window_length'),
          column.text('restore_rule', 20),
          column.longText('rules'),
          column.integer('position'),
          column.boolean('is_active'),
          column.integer('version'),
          column.timestamp('failing_since', { isNullable }),
          column.timestamp('created_at'),
          column.timestamp('updated_at'),
        ],
        indices: [{ name: 'uq_guards_name', columnNames: ['name'], isUnique: true }],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'guard_findings',
        columns: [
          column.id(),
          column.integer('chat_id'),
          column.text('text_hash', 43),
          column.text('stage', 16),
          column.integer('guard_id'),
          column.integer('version'),
          column.boolean('is_blocked'),
          column.longText('spans'),
        ],
        indices: [
          {
            name: 'uq_guard_findings_place',
            columnNames: ['chat_id', 'text_hash', 'stage', 'guard_id', 'version'],
            isUnique: true,
          },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'guard_traces',
        columns: [column.id(), column.integer('message_id'), column.integer('user_id'), column.longText('checks')],
        indices: [
          { name: 'ix_guard_traces_message_id', columnNames: ['message_id'] },
          { name: 'ix_guard_traces_user_id', columnNames: ['user_id'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of ['guard_traces', 'guard_findings', 'guards']) {
      await queryRunner.dropTable(name);
    }
  }
}
