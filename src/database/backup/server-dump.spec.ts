import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { eventually } from '../../../test/support/eventually';
import { loadPackage } from '../../common/load-package';
import { connectionSettings, type MysqlSettings } from '../connection/connection-settings';
import { dumpServer } from './server-dump';

describe('the dump of a database server', () => {
  let folder: string;
  let target: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dump-'));
    target = join(folder, 'dump.sql');
    await writeFile(target, '');
    const answers = { on: () => undefined, end: () => undefined, query: () => [[{ version: '10.11.14-MariaDB' }]] };
    const driver = loadPackage('mysql2/promise') as { createConnection: (settings: object) => Promise<unknown> };
    jest.spyOn(driver, 'createConnection').mockResolvedValue(answers);
  });

  afterEach(() => rm(folder, { recursive: true }));

  /** Replaces the dump program with a shell script. */
  async function dumpWith(script: string, url: string, signal = new AbortController().signal): Promise<void> {
    const program = join(folder, 'mariadb-dump');
    await writeFile(program, `#!/bin/sh\n${script}\n`);
    await chmod(program, 0o700);
    const added = join(folder, 'own.pem');
    await writeFile(added, 'the authority of the house');
    const environment = { PATH: `${folder}:/usr/bin:/bin`, NODE_EXTRA_CA_CERTS: added, FOLDER: folder };
    await dumpServer(connectionSettings(url) as MysqlSettings, target, environment, signal);
  }

  it('trusts the same TLS authorities as the service', async () => {
    const script = [
      'for each; do case $each in --ssl-ca=*) cp "${each#--ssl-ca=}" "$FOLDER/trusted";; esac; done',
      "echo '-- Dump completed'",
    ].join('\n');
    await dumpWith(script, 'mysql://me@127.0.0.1:3306/chat?ssl=true');
    const trusted = await readFile(join(folder, 'trusted'), 'utf8');
    expect(trusted).toContain(rootCertificates[0]);
    expect(trusted).toContain('the authority of the house');
    expect((await readdir(folder)).filter((name) => name.includes('authorities'))).toEqual([]);
  });

  it('reports that its program is missing', async () => {
    const dumping = dumpServer(
      connectionSettings('mysql://me@127.0.0.1:3306/chat') as MysqlSettings,
      target,
      { PATH: folder },
      new AbortController().signal,
    );
    await expect(dumping).rejects.toThrow('No backup was made: mariadb-dump is not installed.');
  });

  it('stops its program when it is stopped', async () => {
    const stopping = new AbortController();
    const dumping = dumpWith(
      'echo $$ > "$FOLDER/process"; exec sleep 600',
      'mysql://me@127.0.0.1:3306/chat',
      stopping.signal,
    );
    const refused = expect(dumping).rejects.toThrow('No backup was made');
    const id = await eventually(async () => Number(await readFile(join(folder, 'process'), 'utf8').catch(() => '')));
    stopping.abort();
    await refused;
    await eventually(() => !isAlive(id));
  });
});

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
