import { statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfiguration } from './config/load-configuration';
import { OperatorError } from './config/operator.error';
import { readEnvironment } from './config/read-environment';
import { backUp, backupEnding } from './database/backup/backup';
import { connectionSettings } from './database/connection/connection-settings';
import { DatabaseConfig } from './database/database.config';
import { blobFolderOf } from './database/sqlite/blob-folder';

/** The folder of backups without a file name. */
const FOLDER = join('data', 'backups');

/** `node dist/backup.js [file]`: copies the database of DATABASE_URL, also while the service runs. */
async function main(given = process.argv[2]): Promise<void> {
  const environment = readEnvironment();
  const { DATABASE_URL } = loadConfiguration([DatabaseConfig], environment).get(DatabaseConfig) as DatabaseConfig;
  const settings = connectionSettings(DATABASE_URL);
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const file = given ?? join(FOLDER, `${time}.${backupEnding(settings)}`);
  const blobs = await backUp(settings, file, environment);
  process.stdout.write(`The backup is ${file} (${statSync(file).size} bytes).\n`);
  if (blobs !== null) {
    const missing =
      blobs.missing === 0
        ? ''
        : ` ${blobs.missing} more are not there: their messages were erased meanwhile, or the files were lost before.`;
    process.stdout.write(
      `${blobs.copied} images and files of messages are in ${blobFolderOf(file)}. Keep both.${missing}\n`,
    );
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof OperatorError ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
});
