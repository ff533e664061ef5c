import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SERVICE_VERSION } from './service-version';

describe('the version of the service', () => {
  it('is the package version', () => {
    const text = readFileSync(resolve(__dirname, '../../package.json'), 'utf8');
    expect((JSON.parse(text) as { version: string }).version).toBe(SERVICE_VERSION);
  });

  it('is the version of the image', () => {
    const text = readFileSync(resolve(__dirname, '../../Dockerfile'), 'utf8');
    expect(/^ARG BUILD_VERSION=(.*)$/m.exec(text)?.[1]).toBe(SERVICE_VERSION);
  });
});
