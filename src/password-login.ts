import 'reflect-metadata';
import { userInfo } from 'node:os';
import type { EntityManager } from 'typeorm';
import { OperatorError } from './config/operator.error';
import { openServiceDatabase } from './database/command-line-data-source';
import { isSqlite } from './database/connection/dialect';
import { queryRows } from './database/statements/query';
import { executeOnce } from './database/statements/run-statement';

/**
 * The users that the command can let in. To close password sign-in for all users, an administrator must be signed in.
 */
const RULES = ['everyone', 'admins'];

const NAME = 'password_login';

/** The argument of the command is invalid. */
class RuleError extends OperatorError {
  override readonly name = 'RuleError';

  constructor() {
    super(`Say whom passwords let in: npm run password-login ${RULES.join('|')}`);
  }
}

/**
 * `node dist/password-login.js everyone` allows sign-in by password and code again. It also works while the service
 * runs, which applies it within five seconds. For operators whose identity provider no longer lets any user in.
 */
async function main(rule = process.argv[2]): Promise<void> {
  if (rule === undefined || !RULES.includes(rule)) {
    throw new RuleError();
  }
  const source = await openServiceDatabase();
  try {
    if (isSqlite(source.manager)) {
      // The running service may be writing.
      await queryRows(source.manager, 'PRAGMA busy_timeout = 10000');
    }
    const before = await source.transaction((manager) => letIn(manager, rule));
    process.stdout.write(`Passwords and codes let in: ${rule}, ${before === rule ? 'as before' : `not ${before}`}.\n`);
  } finally {
    await source.destroy();
  }
}

/** Changes the setting, and records it in the audit log. Returns the former value. */
async function letIn(manager: EntityManager, rule: string): Promise<string> {
  const [stored] = await queryRows<{ value: string }>(manager, 'SELECT value FROM service_settings WHERE name = ?', [
    NAME,
  ]);
  const before = stored ? String(JSON.parse(stored.value)) : 'everyone';
  if (before !== rule) {
    const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
    const stateOf = (value: string): string => JSON.stringify({ [NAME]: value });
    await executeOnce(manager, 'DELETE FROM service_settings WHERE name = ?', [NAME]);
    await executeOnce(manager, 'INSERT INTO service_settings (name, value, updated_at) VALUES (?, ?, ?)', [
      NAME,
      JSON.stringify(rule),
      time,
    ]);
    await executeOnce(
      manager,
      `INSERT INTO audit_logs
        (actor_id, address, user_agent, request_id, action, target_type, state_before, state_after, created_at)
       VALUES (0, 'localhost', ?, 'password-login', 'settings.update', 'settings', ?, ?, ?)`,
      [`npm run password-login, by ${userInfo().username}`, stateOf(before), stateOf(rule), time],
    );
  }
  return before;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof OperatorError ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
});
