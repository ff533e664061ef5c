import type { LoggerService } from '@nestjs/common';
import { databaseRefusal } from '../../common/errors/database-refusal';
import { SECOND_MILLISECONDS } from '../../common/time';
import { OperatorError } from '../../config/operator.error';
import { driverCode, isTransactionConflict, isUniqueViolation } from '../database.errors';
import type { MysqlSettings } from './connection-settings';

/** What the service was doing when its database could not be opened. */
export type OpeningStage = 'connecting' | 'migrating' | 'preparing';

// MariaDB reports only this if an account requires TLS (REQUIRE SSL).
const WRONG_ACCOUNT = 'correct the user and the password in DATABASE_URL, or add ?ssl=true if the account requires TLS';

/** What an operator can do if a server refuses, as the end of a sentence. */
const REMEDIES: Record<string, string> = {
  ER_ACCESS_DENIED_ERROR: WRONG_ACCOUNT,
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: WRONG_ACCOUNT,
  ER_DBACCESS_DENIED_ERROR: 'grant the user that database, or correct its name in DATABASE_URL',
  ER_BAD_DB_ERROR: 'create that database, or correct its name in DATABASE_URL',
  ER_SECURE_TRANSPORT_REQUIRED: 'add ?ssl=true to DATABASE_URL',
  HANDSHAKE_NO_SSL_SUPPORT: 'switch TLS on at the server, or leave ?ssl=true out of DATABASE_URL',
  HANDSHAKE_SSL_ERROR:
    'its certificate must be valid for its name; the one of an authority of your own is named by NODE_EXTRA_CA_CERTS',
};

/**
 * Most attempts that may fail because a row exists already, or because of a limit of the server. Usually another
 * instance has inserted the row, or is working. Otherwise the migration can never succeed.
 */
const MOST_IN_VAIN = 10;

/** Limits of the server on one statement, and group replication's requirement that tables have a primary key. */
const LIMITS = new Set(['errno-1969', 'ER_QUERY_TIMEOUT', 'ER_LOCK_TABLE_FULL', 'ER_BEFORE_DML_VALIDATION_ERROR']);

/** The server refuses the connection, and waiting would not help. The message says what the operator can do. */
export class DatabaseRefusedError extends OperatorError {
  override readonly name = 'DatabaseRefusedError';
}

/** Judges failures to open the database. Either the service waits and logs the reason once, or the start fails. */
export class OpeningFailures {
  private readonly logged = new Set<string>();
  private inVain = 0;
  /** Milliseconds of the monotonic clock. */
  private readonly begin = performance.now();

  constructor(
    private readonly logger: Pick<LoggerService, 'warn' | 'log'>,
    private readonly server: Pick<MysqlSettings, 'host' | 'port'>,
  ) {}

  /** Logs what the service waits for. @throws DatabaseRefusedError, or the error itself, if waiting is useless */
  judge(stage: OpeningStage, error: unknown): void {
    this.inVain += Number(isUniqueViolation(error) || LIMITS.has(codeOf(error) ?? ''));
    if (!passes(error) || this.inVain >= MOST_IN_VAIN) {
      throw this.final(stage, error);
    }
    const reason = reasonOf(error);
    if (!this.logged.has(reason)) {
      this.logged.add(reason);
      this.logger.warn(
        `The database at ${this.address} is not there yet (${reason}): waiting for it. Requests are answered with 503 ` +
          'until then.',
      );
    }
  }

  /** Call it when the database is open. */
  end(): void {
    if (this.logged.size > 0) {
      const seconds = Math.round((performance.now() - this.begin) / SECOND_MILLISECONDS);
      const sentence = `The database at ${this.address} is there after ${seconds} s.`;
      this.logger.log(sentence);
    }
  }

  private get address(): string {
    return `${this.server.host}:${this.server.port}`;
  }

  private final(stage: OpeningStage, error: unknown): unknown {
    const code = codeOf(error);
    // An error that the server did not cause needs its stack.
    if (error instanceof OperatorError || (code === undefined && stage !== 'connecting')) {
      return error;
    }
    if (stage === 'connecting') {
      const remedy = REMEDIES[code ?? ''] ?? 'correct DATABASE_URL, or the settings of the server';
      return new DatabaseRefusedError(
        `The database at ${this.address} refuses the connection (${reasonOf(error)}): ${remedy}.`,
      );
    }
    const what = stage === 'migrating' ? 'migrated' : 'prepared for the service';
    return new DatabaseRefusedError(`The database at ${this.address} cannot be ${what}: ${reasonOf(error)}.`);
  }
}

/**
 * Whether waiting may help. Instances that start together may block each other; at the next attempt, the other one has
 * finished. If the account is refused, only the operator can help.
 */
function passes(error: unknown): boolean {
  const refusal = databaseRefusal(error instanceof AggregateError ? error.errors[0] : error);
  return (refusal !== null && refusal !== 'locked_out') || isTransactionConflict(error) || isUniqueViolation(error);
}

/** The driver's message with its code. */
function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const text = wordsOf(error).replace(/\.$/, '');
  return code === undefined || text.includes(code) ? text : `${code}: ${text}`;
}

/** A host name with several addresses fails with a list of reasons and without its own message. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(wordsOf).join(', ');
  }
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): string | undefined {
  return driverCode(error) ?? (error instanceof AggregateError ? driverCode(error.errors[0]) : undefined);
}
