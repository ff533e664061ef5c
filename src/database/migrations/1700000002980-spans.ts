import { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../migration-columns';

const REPLIES = ['chat_messages', 'generations', 'failed_replies'];

/** The spans of replies and tool calls, and the span that caused a webhook event. Null without tracing. */
export class Spans1700000002980 implements MigrationInterface {
  readonly name = 'Spans1700000002980';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { type } = migrationColumns(queryRunner).longText('spans');
    // Not `addColumn`, which copies the whole table on SQLite: these need only the schema.
    for (const table of REPLIES) {
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN spans ${type} NULL`);
    }
    await queryRunner.query('ALTER TABLE tool_calls ADD COLUMN span_id varchar(16) NULL');
    await queryRunner.query('ALTER TABLE webhook_events ADD COLUMN span varchar(55) NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE webhook_events DROP COLUMN span');
    await queryRunner.query('ALTER TABLE tool_calls DROP COLUMN span_id');
    for (const table of REPLIES) {
      await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN spans`);
    }
  }
}
