import { statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

/** A folder in memory, on Linux. */
const IN_MEMORY = '/dev/shm';

/** Several times the size of all databases in a run. */
const ROOM = 4 * 1024 ** 3;

/**
 * The parent folder for the databases of a run: in memory if there is enough, otherwise among the temporary files. No
 * test covers a disk that loses power, and creating the tables for a test file takes a tenth of the time in memory.
 * `TEST_DATABASES` names another folder.
 */
export function databaseFolder(): string {
  const { TEST_DATABASES } = process.env;
  if (TEST_DATABASES) return TEST_DATABASES;
  return freemem() > 2 * ROOM && freeBytes(IN_MEMORY) > ROOM ? IN_MEMORY : tmpdir();
}

/** None if there is no such folder. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
