import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

const COLUMNS = { scope: 256, client_id: 64, surface: 64, device_name: 64 };

/** Sessions of command-line programs, and the codes with which users approve them (RFC 8628). */
export class DeviceSessions1700000002975 implements MigrationInterface {
  readonly name = 'DeviceSessions1700000002975';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, length] of Object.entries(COLUMNS)) {
      // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
      await queryRunner.query(`ALTER TABLE sessions ADD COLUMN ${name} varchar(${length}) NULL`);
    }
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    await queryRunner.createTable(
      new Table({
        name: 'device_codes',
        columns: [
          column.id(),
          column.text('code_hash', 64),
          column.text('user_code', 8),
          column.text('client_id', 64, { isNullable }),
          column.text('surface', 64, { isNullable }),
          column.text('device_name', 64, { isNullable }),
          column.text('scope', 256),
          column.text('address', 45),
          column.text('user_agent', 512, { isNullable }),
          column.integer('poll_seconds'),
          column.timestamp('polled_at', { isNullable }),
          column.integer('user_id', { isNullable }),
          column.text('decision', 16, { isNullable }),
          column.integer('session_id', { isNullable }),
          column.timestamp('used_at', { isNullable }),
          column.timestamp('created_at'),
          column.timestamp('expires_at'),
        ],
        indices: [
          { name: 'uq_device_codes_code_hash', columnNames: ['code_hash'], isUnique: true },
          { name: 'uq_device_codes_user_code', columnNames: ['user_code'], isUnique: true },
          { name: 'ix_device_codes_address', columnNames: ['address', 'expires_at'] },
          { name: 'ix_device_codes_user_id', columnNames: ['user_id'] },
          { name: 'ix_device_codes_expires_at', columnNames: ['expires_at'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('device_codes');
    for (const name of Object.keys(COLUMNS)) {
      await queryRunner.query(`ALTER TABLE sessions DROP COLUMN ${name}`);
    }
  }
}
