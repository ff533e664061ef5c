import 'reflect-metadata';
import { loadConfiguration } from '../../config/load-configuration';
import { DatabaseConfig } from '../database.config';
import { connectionSettings } from './connection-settings';

const load = (DATABASE_URL: string) => loadConfiguration([DatabaseConfig], { DATABASE_URL });

describe('DATABASE_URL', () => {
  it('names a server and an account, percent-decoded', () => {
    const url = 'mysql://ch%40t:p%23ss%2Fw%3Ard@[::1]:3307/my%20chat?pool=4&wait=20&ssl=true&sync=true';
    expect(() => load(url)).not.toThrow();
    expect(connectionSettings(url)).toEqual({
      dialect: 'mysql',
      host: '::1',
      port: 3307,
      username: 'ch@t',
      password: 'p#ss/w:rd',
      database: 'my chat',
      poolSize: 4,
      waitSeconds: 20,
      ssl: true,
      isSynchronous: true,
    });
  });

  it('has defaults for missing parts', () => {
    expect(connectionSettings('mariadb://root@db/chat')).toMatchObject({
      port: 3306,
      poolSize: 16,
      waitSeconds: 3,
      ssl: false,
      isSynchronous: false,
    });
  });

  it.each(['sqlite:./data/app.sqlite', 'sqlite:/var/lib/chat #1.sqlite'])('may be the file %s', (url) =>
    expect(() => load(url)).not.toThrow(),
  );

  it.each([
    'mysql://root:S3cr3t#Pw@127.0.0.1:3306/x',
    'mysql://root:S3cr3t@127.0.0.1:99999/x',
    'mysql://root:S3cr3t%zz@127.0.0.1:3306/x',
    'mysql://root:S3cr3t@127.0.0.1:3306',
    'mysql://root:S3cr3t@127.0.0.1:3306/x/y',
    'mysql://root:S3cr3t@/x',
    'mysql://root:S3cr3t@db/x?pool=abc',
    'mysql://root:S3cr3t@db/x?pool=0',
    'mysql://root:S3cr3t@db/x?wait=0',
    'mysql://root:S3cr3t@db/x?ssl=maybe',
    'mysql://root:S3cr3t@db/x?sync=yes',
    'mysql://root:S3cr3t@db/x?sslmode=require',
    'mysql://root:S3cr3t@db/x?constructor=1',
    'postgres://root:S3cr3t@db/x',
    'sqlite:',
  ])('may not be %s, and the error does not repeat the password', (url) => {
    for (const read of [load, connectionSettings]) {
      const complaint = String(thrownBy(() => read(url)));
      expect(complaint).toContain('DATABASE_URL must be sqlite:<file> or mysql://');
      expect(complaint).not.toContain('S3cr3t');
    }
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
