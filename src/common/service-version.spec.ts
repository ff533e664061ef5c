import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SERVICE_VERSION } from './service-version';

describe('the version of the service', () => {
  it('is the package version', () => {
    const text = readFileSync(resolve(__dirname, '../../package.json'), 'utf8');
    expect((JSON.parse(text) as { version: string }).version).toBe(SERVICE_VERSION);
  });
});
