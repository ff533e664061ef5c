import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from './configuration.error';
import { readEnvironment } from './read-environment';

describe('the environment', () => {
  const before = { folder: process.cwd(), variables: { ...process.env } };
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'environment-'));
    process.chdir(folder);
  });

  afterEach(() => {
    process.chdir(before.folder);
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before.variables);
    rmSync(folder, { recursive: true });
  });

  it('is the environment of the process when there is no .env', () => {
    process.env.PORT = '8080';
    expect(readEnvironment().PORT).toBe('8080');
  });

  it('takes from .env what the process does not set or sets to an empty value', () => {
    writeFileSync('.env', 'PORT=eighty\nHOST=127.0.0.1\nLOG_LEVEL=loud\n');
    Object.assign(process.env, { PORT: '', LOG_LEVEL: 'info' });
    expect(readEnvironment()).toMatchObject({ PORT: 'eighty', HOST: '127.0.0.1', LOG_LEVEL: 'info' });
  });

  it('takes nothing from .env in production', () => {
    writeFileSync('.env', 'PORT=eighty\n');
    Object.assign(process.env, { PORT: '', NODE_ENV: 'production' });
    expect(readEnvironment().PORT).toBe('');
  });

  it('is rejected if .env cannot be read', () => {
    mkdirSync('.env');
    expect(readEnvironment).toThrow(ConfigurationError);
    expect(readEnvironment).toThrow(/^ {2}- the file \.env cannot be read: /m);
  });
});
