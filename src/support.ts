import 'reflect-metadata';
import { featuresOf } from './app.module';
import { HOUR_MILLISECONDS } from './common/time';
import { OperatorError } from './config/operator.error';
import { readEnvironment } from './config/read-environment';
import { readVariables } from './config/variables';
import { openServiceDatabase } from './database/command-line-data-source';
import { shownVariables } from './modules/operation/configuration/configuration.service';
import { type BundleContent, type BundleOrigin, writeBundle } from './modules/operation/support/bundle-file';
import { countFailures, countTables, listMigrations, readWith } from './modules/operation/support/database-figures';
import { withoutPersonal } from './modules/operation/support/support-bundle.service';

const HOURS = 24;

const NO_SERVICE = 'the command does not call the service';

const OF_SERVICE = {
  'instances.json': NO_SERVICE,
  'metrics.txt': NO_SERVICE,
  'attention.json': NO_SERVICE,
  'log.jsonl': NO_SERVICE,
};

type FromDatabase = Pick<BundleContent, 'health.json' | 'migrations.json' | 'counts.json' | 'failures.json'>;

const NO_DATABASE: FromDatabase = {
  'health.json': null,
  'migrations.json': null,
  'counts.json': null,
  'failures.json': null,
};

/** The argument of the command is invalid. */
class UsageError extends OperatorError {
  override readonly name = 'UsageError';

  constructor() {
    super('node dist/support.js > bundle.zip writes a support bundle. Redirect its output to a file.');
  }
}

/**
 * `node dist/support.js > bundle.zip` writes a support bundle without the service, and without the database if that is
 * unavailable. It has no log, because lines are in the memory of the service.
 */
async function main(): Promise<void> {
  if (process.stdout.isTTY || process.argv.length > 2) {
    throw new UsageError();
  }
  const createdAt = new Date();
  const variables = readVariables(featuresOf().all('configuration'), readEnvironment());
  const ofDatabase = await readDatabase(createdAt).catch((error: unknown) => ({ fault: faultOf(error) }));
  const origin: BundleOrigin = { createdAt, instanceId: null, hours: HOURS, missing: { ...OF_SERVICE } };
  if ('fault' in ofDatabase) {
    Object.keys(NO_DATABASE).forEach((name) => (origin.missing[name as keyof FromDatabase] = ofDatabase.fault));
  }
  const content: BundleContent = {
    ...('fault' in ofDatabase ? NO_DATABASE : ofDatabase),
    'instances.json': null,
    'config.json': withoutPersonal(shownVariables(variables)),
    'metrics.txt': '',
    'attention.json': null,
    'log.jsonl': '',
  };
  process.stdout.write(await writeBundle(content, origin));
}

async function readDatabase(now: Date): Promise<FromDatabase> {
  const source = await openServiceDatabase();
  try {
    const read = readWith(source.manager);
    const tables = source.entityMetadatas.map(({ tableName }) => tableName);
    return {
      'health.json': { status: 'unknown', checks: { database: { status: 'up', required: true } } },
      'migrations.json': await listMigrations(read),
      'counts.json': await countTables(read, [...new Set(tables)]),
      'failures.json': await countFailures(read, new Date(now.getTime() - HOURS * HOUR_MILLISECONDS)),
    };
  } finally {
    await source.destroy();
  }
}

/** The message of a driver may repeat an address with a password. */
function faultOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: string };
  return `the database cannot be read: ${typeof code === 'string' ? code : (name ?? 'unknown')}`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof OperatorError ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
});
