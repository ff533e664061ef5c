import { createHash } from 'node:crypto';
import { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../migration-columns';

interface EditedCall {
  id: number;
  name: string;
  pin: string | null;
  edited: string;
}

/** A call keeps what the model proposed next to the edited arguments it is made with, and how often a shutdown cut it. */
export class EditedCalls1700000002840 implements MigrationInterface {
  readonly name = 'EditedCalls1700000002840';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const { type } = column.longText('proposed_arguments');
    const { type: integer } = column.integer('interruptions');
    // Not `addColumn`, which copies the whole table on SQLite: these need only the schema.
    await queryRunner.query(`ALTER TABLE tool_calls ADD COLUMN proposed_arguments ${type} NULL`);
    await queryRunner.query(`ALTER TABLE tool_calls ADD COLUMN interruptions ${integer} NOT NULL DEFAULT 0`);
    const edits = (await queryRunner.query(
      `SELECT c.id, c.name, c.pin, a.edited FROM tool_actions a JOIN tool_calls c ON c.id = a.call_id
       WHERE a.kind = 'approve' AND a.edited IS NOT NULL
         AND c.arguments IS NOT NULL AND c.proposed_arguments IS NULL
       ORDER BY a.id`,
    )) as EditedCall[];
    // Of a call that was edited twice, the last edit holds.
    for (const { id, name, pin, edited } of new Map(edits.map((edit) => [edit.id, edit])).values()) {
      // MySQL assigns from left to right, so the proposed arguments come first.
      await queryRunner.query(
        `UPDATE tool_calls SET proposed_arguments = arguments, arguments = ?, arguments_hash = ?
         WHERE id = ? AND proposed_arguments IS NULL`,
        [edited, argumentsHash(name, pin, JSON.parse(edited)), id],
      );
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'UPDATE tool_calls SET arguments = proposed_arguments WHERE proposed_arguments IS NOT NULL',
    );
    await queryRunner.query('ALTER TABLE tool_calls DROP COLUMN interruptions');
    await queryRunner.query('ALTER TABLE tool_calls DROP COLUMN proposed_arguments');
  }
}

/** As the service calculates it when this migration is written. */
function argumentsHash(tool: string, pin: string | null, value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, pin, sorted(value)]))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return ['list', ...value.map(sorted)];
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return ['object', ...entries.map(([name, member]) => [name, sorted(member)])];
  }
  return value;
}
