// The stored sessions of the command line: one file with the tokens of each service, by address.
import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { env, pid } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process holds the lock for one request. After this time, it must have crashed. */
const STALE_MILLISECONDS = 60_000;

const RETRY_MILLISECONDS = 50;

export function credentialsFile() {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'chat-service', 'credentials.json');
}

/** All stored sessions by address. Empty if there is no file. */
export async function readCredentials() {
  const file = credentialsFile();
  try {
    const stored = JSON.parse(await readFile(file, 'utf8'));
    return typeof stored === 'object' && stored !== null ? stored : {};
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw new Error(`${file} cannot be read (${error.message}). Correct or delete it, and sign in again.`);
  }
}

/**
 * Runs `change` while no other process of this user reads or changes the file, then stores what `change` did to the
 * sessions. Two processes therefore never use the same refresh token.
 */
export async function withCredentials(change) {
  const file = credentialsFile();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await chmod(dirname(file), 0o700);
  const release = await lock(`${file}.lock`);
  try {
    const sessions = await readCredentials();
    const before = JSON.stringify(sessions);
    const result = await change(sessions);
    if (JSON.stringify(sessions) !== before) await write(file, sessions);
    return result;
  } finally {
    await release();
  }
}

/** Replaces the file at once, so that a crash leaves the old one or the new one. */
async function write(file, sessions) {
  const draft = `${file}.${pid}`;
  await writeFile(draft, `${JSON.stringify(sessions, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, file);
}

/** Waits until no other process has the lock. */
async function lock(path) {
  for (;;) {
    try {
      await (await open(path, 'wx', 0o600)).close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > STALE_MILLISECONDS) await rm(path, { force: true });
    else await sleep(RETRY_MILLISECONDS);
  }
}
