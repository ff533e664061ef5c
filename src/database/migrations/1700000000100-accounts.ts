import { MigrationInterface, QueryRunner, Table, TableColumnOptions } from 'typeorm';
import { MigrationColumns, migrationColumns } from '../migration-columns';

const NULLABLE = { isNullable: true };

/** Users, their sessions and payments, one-time codes and the settings of the installation. */
export class Accounts1700000000100 implements MigrationInterface {
  name = 'Accounts1700000000100';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    for (const table of [users, sessions, payments, serviceSettings, verificationCodes, attemptLogs]) {
      await queryRunner.createTable(table(column));
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of ['attempt_logs', 'verification_codes', 'service_settings', 'payments', 'sessions', 'users']) {
      await queryRunner.dropTable(name);
    }
  }
}

function users(column: MigrationColumns): Table {
  return new Table({
    name: 'users',
    columns: [...identityColumns(column), ...membershipColumns(column), ...profileColumns(column)],
    indices: [
      { name: 'uq_users_username_key', columnNames: ['username_key'], isUnique: true },
      { name: 'uq_users_email', columnNames: ['email'], isUnique: true },
      { name: 'ix_users_user_type', columnNames: ['user_type'] },
      { name: 'ix_users_membership_expires_at', columnNames: ['membership_expires_at'] },
      { name: 'ix_users_erase_at', columnNames: ['erase_at'] },
    ],
  });
}

function identityColumns(column: MigrationColumns): TableColumnOptions[] {
  return [
    column.id(),
    column.text('username', 64),
    column.text('username_key', 64),
    column.text('email', 254),
    column.text('former_email', 254, NULLABLE),
    column.text('password_hash', 255, NULLABLE),
    column.timestamp('password_changed_at', NULLABLE),
    column.text('user_type', 16),
  ];
}

function membershipColumns(column: MigrationColumns): TableColumnOptions[] {
  return [
    column.text('membership_type', 16),
    column.timestamp('membership_expires_at', NULLABLE),
    column.text('status', 16),
    column.text('ban_reason', 500, NULLABLE),
    column.timestamp('banned_until', NULLABLE),
  ];
}

function profileColumns(column: MigrationColumns): TableColumnOptions[] {
  return [
    column.text('language', 16, NULLABLE),
    column.text('avatar', 255, NULLABLE),
    column.text('bio', 500, NULLABLE),
    column.longText('settings'),
    column.integer('quota_messages_override', NULLABLE),
    column.bigInteger('quota_tokens_override', NULLABLE),
    column.longText('admin_note', NULLABLE),
    column.timestamp('last_login_at', NULLABLE),
    column.timestamp('created_at'),
    column.timestamp('updated_at'),
    column.timestamp('deleted_at', NULLABLE),
    column.timestamp('erase_at', NULLABLE),
  ];
}

function sessions(column: MigrationColumns): Table {
  return new Table({
    name: 'sessions',
    columns: [
      column.id(),
      column.integer('user_id'),
      column.text('family', 32),
      column.integer('generation'),
      column.text('refresh_hash', 64),
      column.longText('replaced_at'),
      column.text('address', 45),
      column.text('user_agent', 512, NULLABLE),
      column.timestamp('created_at'),
      column.timestamp('last_used_at'),
      column.timestamp('expires_at'),
    ],
    indices: [
      { name: 'uq_sessions_family', columnNames: ['family'], isUnique: true },
      { name: 'ix_sessions_user_id', columnNames: ['user_id'] },
      { name: 'ix_sessions_expires_at', columnNames: ['expires_at'] },
    ],
  });
}

function payments(column: MigrationColumns): Table {
  return new Table({
    name: 'payments',
    columns: [
      column.id(),
      column.text('payment_id', 128),
      column.integer('user_id'),
      column.text('plan_id', 16),
      column.timestamp('created_at'),
    ],
    indices: [
      { name: 'uq_payments_payment_id', columnNames: ['payment_id'], isUnique: true },
      { name: 'ix_payments_user_id', columnNames: ['user_id'] },
    ],
  });
}

function serviceSettings(column: MigrationColumns): Table {
  return new Table({
    name: 'service_settings',
    columns: [column.id(), column.text('name', 64), column.longText('value'), column.timestamp('updated_at')],
    indices: [{ name: 'uq_service_settings_name', columnNames: ['name'], isUnique: true }],
  });
}

function verificationCodes(column: MigrationColumns): Table {
  return new Table({
    name: 'verification_codes',
    columns: [
      column.id(),
      column.text('address_hash', 64),
      column.text('purpose', 16),
      column.text('code_hash', 64),
      column.integer('attempts'),
      column.timestamp('sent_at'),
      column.timestamp('expires_at'),
      column.timestamp('used_at', NULLABLE),
    ],
    indices: [
      {
        name: 'uq_verification_codes_address_purpose',
        columnNames: ['address_hash', 'purpose'],
        isUnique: true,
      },
      { name: 'ix_verification_codes_expires_at', columnNames: ['expires_at'] },
    ],
  });
}

function attemptLogs(column: MigrationColumns): Table {
  return new Table({
    name: 'attempt_logs',
    columns: [column.id(), column.text('subject', 100), column.longText('times'), column.timestamp('expires_at')],
    indices: [
      { name: 'uq_attempt_logs_subject', columnNames: ['subject'], isUnique: true },
      { name: 'ix_attempt_logs_expires_at', columnNames: ['expires_at'] },
    ],
  });
}
