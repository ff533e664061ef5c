import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Not `addColumn`, which copies the whole table on SQLite: these need only the schema. */
const SESSION_COLUMNS = [
  { name: 'identity_id', type: 'integer NULL' },
  { name: 'provider_session', type: 'varchar(255) NULL' },
  { name: 'ends_at', type: 'datetime(3) NULL' },
];

const USER_COLUMNS = [
  { name: 'local_login', type: 'boolean NOT NULL DEFAULT 1', mysql: 'tinyint(1) NOT NULL DEFAULT 1' },
  { name: 'administrator_since', type: 'datetime(3) NULL' },
];

/** Rows of the log that one statement reads: with many, no proxy waits for its answer, and SQLite has no time for others. */
const LOGS = 1_000;

/** Who is not an administrator any more. The condition is no WHERE, or it would be looked for in the whole log each time. */
const NEXT_LOGS = `
  SELECT id, CASE WHEN target_type = 'user' AND state_before LIKE '%"user_type":"admin"%' THEN subject_id END AS former_id
  FROM audit_logs WHERE id > ? ORDER BY id LIMIT ${LOGS}`;

/** Providers of identities, the identities that they gave to accounts, and the sign-ins that are under way. */
export class Identities1700000002430 implements MigrationInterface {
  readonly name = 'Identities1700000002430';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables(queryRunner)) {
      await queryRunner.createTable(table);
    }
    await addColumns(queryRunner, 'sessions', SESSION_COLUMNS);
    await queryRunner.query('CREATE INDEX ix_sessions_identity_id ON sessions (identity_id)');
    await addColumns(queryRunner, 'users', USER_COLUMNS);
    await queryRunner.query(`UPDATE users SET administrator_since = created_at WHERE user_type = 'admin'`);
    await markFormerAdministrators(queryRunner);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX ix_sessions_identity_id${isMysql(queryRunner) ? ' ON sessions' : ''}`);
    for (const { name } of [...SESSION_COLUMNS].reverse()) {
      await queryRunner.query(`ALTER TABLE sessions DROP COLUMN ${name}`);
    }
    for (const { name } of [...USER_COLUMNS].reverse()) {
      await queryRunner.query(`ALTER TABLE users DROP COLUMN ${name}`);
    }
    for (const table of tables(queryRunner).reverse()) {
      await queryRunner.dropTable(table);
    }
  }
}

/**
 * Those who were administrators before: the log says so. Whether an address alone may open an account depends on it, so this
 * cannot come later.
 */
async function markFormerAdministrators(queryRunner: QueryRunner): Promise<void> {
  for (let before = 0; ;) {
    const logs = (await queryRunner.query(NEXT_LOGS, [before])) as { id: number; former_id: number | null }[];
    if (logs.length === 0) {
      return;
    }
    const ids = logs.flatMap(({ former_id }) => (former_id === null ? [] : [Number(former_id)]));
    if (ids.length > 0) {
      await queryRunner.query(
        `UPDATE users SET administrator_since = created_at WHERE administrator_since IS NULL AND id IN (${ids.join()})`,
      );
    }
    before = Number(logs.at(-1)?.id);
  }
}

function isMysql(queryRunner: QueryRunner): boolean {
  return queryRunner.dataSource.driver.options.type !== 'better-sqlite3';
}

async function addColumns(
  queryRunner: QueryRunner,
  table: string,
  columns: { name: string; type: string; mysql?: string }[],
): Promise<void> {
  for (const { name, type, mysql = type } of columns) {
    await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${name} ${isMysql(queryRunner) ? mysql : type}`);
  }
}

function tables(queryRunner: QueryRunner): Table[] {
  const column = migrationColumns(queryRunner);
  const isNullable = true;
  return [
    new Table({
      name: 'identity_providers',
      columns: [
        column.id(),
        column.text('slug', 32),
        column.text('name', 100),
        column.text('issuer', 255),
        column.text('client_id', 255),
        column.longText('client_secret', { isNullable }),
        column.text('scopes', 500),
        column.longText('claims'),
        column.text('claim_source', 16),
        column.boolean('email_trusted'),
        column.text('jit', 16),
        column.longText('allowed_domains'),
        column.longText('required_groups'),
        column.longText('mappings'),
        column.text('groups_overage', 16),
        column.text('logout', 16),
        column.text('scim_match', 255),
        column.integer('session_max_age', { isNullable }),
        column.longText('accept_tokens', { isNullable }),
        column.boolean('is_active'),
        column.boolean('is_from_environment'),
        column.longText('last_claims', { isNullable }),
        column.timestamp('created_at'),
        column.timestamp('updated_at'),
      ],
      indices: [
        { name: 'uq_identity_providers_slug', columnNames: ['slug'], isUnique: true },
        { name: 'uq_identity_providers_issuer', columnNames: ['issuer'], isUnique: true },
      ],
    }),
    new Table({
      name: 'identities',
      columns: [
        column.id(),
        column.integer('provider_id'),
        column.text('issuer', 255),
        column.text('subject', 255, { isNullable }),
        column.text('external_id', 255, { isNullable }),
        column.integer('user_id'),
        column.text('email', 254, { isNullable }),
        column.longText('provider_groups', { isNullable }),
        column.longText('given', { isNullable }),
        column.timestamp('linked_at'),
        column.timestamp('last_used_at', { isNullable }),
        column.timestamp('unlinked_at', { isNullable }),
      ],
      indices: [
        { name: 'uq_identities_issuer_subject', columnNames: ['issuer', 'subject'], isUnique: true },
        { name: 'uq_identities_provider_external', columnNames: ['provider_id', 'external_id'], isUnique: true },
        { name: 'ix_identities_user_id', columnNames: ['user_id'] },
      ],
    }),
    new Table({
      name: 'mapped_accounts',
      columns: [
        { ...column.integer('user_id'), isPrimary: true },
        column.text('own_user_type', 16),
        column.text('own_membership_type', 16),
        column.timestamp('own_membership_expires_at', { isNullable }),
        column.text('mapped_user_type', 16, { isNullable }),
        column.text('mapped_membership_type', 16, { isNullable }),
      ],
    }),
    new Table({
      name: 'sign_ins',
      columns: [
        column.id(),
        column.integer('provider_id'),
        column.text('stage', 16),
        column.text('token_hash', 64),
        column.text('browser_hash', 64),
        column.text('code_challenge', 43),
        column.text('return_to', 2048),
        column.text('address_hash', 64),
        column.integer('user_id', { isNullable }),
        column.longText('sealed'),
        column.timestamp('created_at'),
        column.timestamp('expires_at'),
      ],
      indices: [
        { name: 'uq_sign_ins_token_hash', columnNames: ['token_hash'], isUnique: true },
        { name: 'ix_sign_ins_address_hash', columnNames: ['address_hash', 'expires_at'] },
        { name: 'ix_sign_ins_expires_at', columnNames: ['expires_at'] },
        { name: 'ix_sign_ins_user_id', columnNames: ['user_id'] },
      ],
    }),
    new Table({
      name: 'logout_tokens',
      columns: [column.id(), column.text('token_hash', 64), column.timestamp('expires_at')],
      indices: [
        { name: 'uq_logout_tokens_token_hash', columnNames: ['token_hash'], isUnique: true },
        { name: 'ix_logout_tokens_expires_at', columnNames: ['expires_at'] },
      ],
    }),
  ];
}
