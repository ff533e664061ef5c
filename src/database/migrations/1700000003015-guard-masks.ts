import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** The values of a conversation that guards have masked. */
export class GuardMasks1700000003015 implements MigrationInterface {
  readonly name = 'GuardMasks1700000003015';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'guard_masks',
        columns: [
          column.id(),
          column.integer('user_id'),
          column.integer('chat_id'),
          column.text('type', 32),
          column.integer('number'),
          column.longText('sealed'),
          column.text('restore', 16),
          column.timestamp('created_at'),
        ],
        indices: [
          {
            name: 'uq_guard_masks_chat_id_type_number',
            columnNames: ['chat_id', 'type', 'number'],
            isUnique: true,
          },
          { name: 'ix_guard_masks_user_id', columnNames: ['user_id'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('guard_masks');
  }
}
