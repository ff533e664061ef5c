import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigurationError } from './configuration.error';
import { type EnvironmentVariables, isAbsent } from './load-configuration';

const FILE = '.env';

/** The variables that the file supplied. */
const suppliedByFile = new Set<string>();

/** Whether the variable comes from the `.env` file. */
export function isFromFile(name: string): boolean {
  return suppliedByFile.has(name);
}

/**
 * The environment of the process. Outside production, a `.env` file supplies the variables that are absent or empty.
 *
 * @throws ConfigurationError if a `.env` file exists but cannot be read
 */
export function readEnvironment(): EnvironmentVariables {
  if (process.env.NODE_ENV !== 'production' && existsSync(FILE)) {
    for (const [name, value] of Object.entries(readFile())) {
      if (isAbsent(process.env[name])) {
        process.env[name] = value;
        suppliedByFile.add(name);
      }
    }
  }
  return process.env;
}

function readFile(): EnvironmentVariables {
  try {
    return parseEnv(readFileSync(FILE, 'utf8'));
  } catch (error) {
    throw new ConfigurationError([`the file ${FILE} cannot be read: ${(error as Error).message}`]);
  }
}
