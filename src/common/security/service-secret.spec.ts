import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretFromFile } from './service-secret';

describe('the secret that the service generates', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'chat-secret-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const accessOf = (path: string) => statSync(path).mode & 0o777;

  it('is readable by its owner only, like the folder created for it', () => {
    const file = join(folder, 'data', 'jwt-secret');
    expect(secretFromFile(file)).toMatch(/^.{64}$/);
    expect([accessOf(file), accessOf(join(folder, 'data'))]).toEqual([0o600, 0o700]);
  });

  it('stays the same after a restart', () => {
    const file = join(folder, 'jwt-secret');
    expect(secretFromFile(file)).toBe(secretFromFile(file));
  });
});
