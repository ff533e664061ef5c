import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHOWN_ORDER } from '../../src/shown-order';
import { SOURCE, sourceFiles } from '../support/project-files';
import { serviceEvents, serviceFeatures } from '../support/service-features';

/** State in a file that is shared by all applications in the process. */
const KEPT = /^(?:export )?const (\w+)(?:: [^=\n]+)? = (?:new (?:Map|Set)\b|\[\];)/gm;

/** Caches of values that are created once, and what the process itself has, as its environment. */
const CACHES = [
  'common/http/body/body-memory.ts kept',
  'common/i18n/translator.ts compiled',
  'common/i18n/translator.ts formats',
  'config/read-environment.ts suppliedByFile',
];

describe('module declarations', () => {
  it('are stored in no base file, except for caches: each application reads them from its modules', () => {
    const filled = sourceFiles('.ts')
      .filter((path) => /^(common|config|integrations\/mail)\//.test(path) && !path.endsWith('.spec.ts'))
      .flatMap((path) => {
        const text = readFileSync(join(SOURCE, path), 'utf8');
        const names = [...text.matchAll(KEPT)].map(([, name = '']) => name);
        return names
          .filter((name) => new RegExp(`\\b${name}\\.(set|add|push)\\(`).test(text))
          .map((name) => `${path} ${name}`);
      });
    expect(filled.sort()).toEqual(CACHES);
  });

  it.each([
    ['events', /defineEvent\(\s*'([\w.]+)'/g, () => serviceEvents.all.map(({ type }) => type)],
    ['mails', /defineMail\(\s*'(\w+)'/g, () => serviceFeatures.all('mails').map(({ kind }) => kind)],
    [
      'audits',
      /defineAudit<[^>]+>\(\{\s*subject: '(\w+)'/g,
      () => serviceFeatures.all('audits').map(({ subject }) => subject),
    ],
  ] as const)('include all %s that the modules define', (_name, definition, declared) => {
    const defined = sourceFiles('.ts')
      .filter((path) => path.startsWith('modules/') && !path.endsWith('.spec.ts'))
      .flatMap((path) => [...readFileSync(join(SOURCE, path), 'utf8').matchAll(definition)].map(([, name]) => name));
    expect(defined.length).toBeGreaterThan(2);
    // One subject may have two definitions, such as those of policies and of sweeps.
    expect([...new Set(defined)].sort()).toEqual(declared().sort());
  });

  it('are shown in the released order; new entries have their position in src/shown-order.ts', () => {
    const subjects = new Set(serviceEvents.all.map(({ type }) => type.split('.')[0]));
    expect([...subjects]).toEqual(SHOWN_ORDER.events);
    expect(serviceFeatures.groups().map(({ name }) => name)).toEqual(SHOWN_ORDER.groups);
    expect(serviceFeatures.exposedHeaders()).toEqual(SHOWN_ORDER.exposes);
    expect(serviceFeatures.scopes().map(({ name }) => name)).toEqual(SHOWN_ORDER.scopes);
  });
});
