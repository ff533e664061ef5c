import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SOURCE, sourceFiles } from '../support/project-files';
import { serviceFeatures } from '../support/service-features';

describe('.env.example', () => {
  const own = variablesOf(resolve(__dirname, '../../.env.example'));
  // A module may document its settings in its own file, next to its code.
  const ofModules = sourceFiles('.env.example').map((path) => variablesOf(join(SOURCE, path)));
  const documented = new Map([own, ...ofModules].flatMap((variables) => [...variables]));
  const defaults = new Map<string, unknown>();

  beforeAll(() => {
    for (const environment of serviceFeatures.all('configuration')) {
      Object.entries(new environment()).forEach(([name, value]) => defaults.set(name, value));
    }
  });

  it('lists exactly the variables that the service reads', () => {
    expect([...documented.keys()].sort()).toEqual([...defaults.keys()].sort());
  });

  it('lists the variables that the compose file passes on', () => {
    const compose = readFileSync(resolve(__dirname, '../../docker-compose.yml'), 'utf8');
    const handedOn = [...compose.matchAll(/^ {6}([A-Z][A-Z0-9_]*):/gm)].map(([, name]) => name);
    // The image sets the address inside its container.
    const wanted = [...own.keys()].filter((name) => name !== 'HOST' && name !== 'PORT');
    expect(handedOn.filter((name) => !name?.startsWith('MYSQL_')).sort()).toEqual(wanted.sort());
  });

  it('shows the default of every variable that has one', () => {
    for (const [name, value] of defaults) {
      if (['string', 'number', 'boolean'].includes(typeof value)) {
        expect(`${name}=${documented.get(name)}`).toBe(`${name}=${value as string}`);
      }
    }
  });
});

/** The variables in such a file with their values. */
function variablesOf(file: string): Map<string, string> {
  const lines = readFileSync(file, 'utf8').matchAll(/^#?\s?([A-Z][A-Z0-9_]*)=(.*)$/gm);
  return new Map([...lines].map(([, name, value]) => [name ?? '', (value ?? '').trim()]));
}
