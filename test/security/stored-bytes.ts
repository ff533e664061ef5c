import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { databaseEngine } from '../support/servers/test-database';

const TEXTS =
  'SELECT (SELECT COALESCE(SUM(OCTET_LENGTH(data)), 0) FROM blob_pieces) + ' +
  '(SELECT COALESCE(SUM(OCTET_LENGTH(content) + COALESCE(OCTET_LENGTH(parts), 0)), 0) FROM chat_messages) AS bytes';

/** Bytes on the disk: on SQLite all files of the database, on MariaDB the files and texts of messages. */
export async function storedBytes(databaseUrl: string): Promise<number> {
  return databaseEngine() === 'sqlite' ? filesOf(databaseUrl.replace(/^sqlite:|\?.*$/g, '')) : textsOf(databaseUrl);
}

async function filesOf(database: string): Promise<number> {
  const entries = await readdir(dirname(database));
  const own = entries.filter((name) => name.startsWith(basename(database)));
  const sizes = await Promise.all(own.map((name) => sizeOf(join(dirname(database), name))));
  return sum(sizes);
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) {
    return found.size;
  }
  const entries = await readdir(path);
  return sum(await Promise.all(entries.map((name) => sizeOf(join(path, name)))));
}

async function textsOf(databaseUrl: string): Promise<number> {
  const connection = await createConnection(databaseUrl.replace(/\?.*/, ''));
  const [[row]] = await connection.query<RowDataPacket[]>(TEXTS);
  await connection.end();
  return Number(row?.bytes);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
