import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

const NULLABLE = { isNullable: true };

/** The log of what administrators did. */
export class Administration1700000000700 implements MigrationInterface {
  readonly name = 'Administration1700000000700';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'audit_logs',
        columns: [
          column.id(),
          column.integer('actor_id'),
          column.text('address', 45),
          column.text('user_agent', 512, NULLABLE),
          column.text('request_id', 64),
          column.text('action', 128),
          column.text('target_type', 32),
          column.text('target_id', 64, NULLABLE),
          column.integer('subject_id', NULLABLE),
          column.longText('state_before', NULLABLE),
          column.longText('state_after', NULLABLE),
          column.text('reason', 500, NULLABLE),
          column.timestamp('created_at'),
        ],
        indices: [
          { name: 'ix_audit_logs_actor_id', columnNames: ['actor_id'] },
          { name: 'ix_audit_logs_action', columnNames: ['action'] },
          { name: 'ix_audit_logs_target', columnNames: ['target_type', 'target_id'] },
          { name: 'ix_audit_logs_target_id', columnNames: ['target_id'] },
          { name: 'ix_audit_logs_subject_id', columnNames: ['subject_id'] },
          { name: 'ix_audit_logs_created_at', columnNames: ['created_at'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('audit_logs');
  }
}
