import { existsSync } from 'node:fs';
import { EnvironmentVariables } from './load-configuration';

/** The environment of the process; outside production a file `.env` fills in what the environment does not set. */
export function readEnvironment(): EnvironmentVariables {
  if (process.env.NODE_ENV !== 'production' && existsSync('.env')) {
    process.loadEnvFile('.env');
  }
  return process.env;
}
