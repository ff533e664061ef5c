import { statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

/** A folder in memory, on Linux. */
const IN_MEMORY = '/dev/shm';

/** Several times what all databases of a run take. */
const ROOM = 4 * 1024 ** 3;

/**
 * Where the databases of a run are made: in memory where there is much of it, else among the temporary files. No test is about
 * a disk that loses its power, and to make the tables for a test file takes a tenth of the time there. `TEST_DATABASES` names
 * another folder.
 */
export function databaseFolder(): string {
  const { TEST_DATABASES } = process.env;
  if (TEST_DATABASES) return TEST_DATABASES;
  return freemem() > 2 * ROOM && freeBytes(IN_MEMORY) > ROOM ? IN_MEMORY : tmpdir();
}

/** None where there is no such folder. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
