import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../src/common/errors/api-error';
import { isTranslated } from '../../src/common/i18n/translator';
import { toUserSettingsDto } from '../../src/modules/user/profile/user-settings.dto';
import { exportsOf, SOURCE } from '../support/project-files';
import { serviceFeatures, speakAsService } from '../support/service-features';
import { readSource, type SourceCode, sourceCode } from '../support/source-code';

const CATALOGUE = speakAsService();

/** Standard variables that are accepted and change nothing, as their documentation says. */
const WITHOUT_EFFECT = ['OTEL_SEMCONV_STABILITY_OPT_IN'];

/** Where settings are declared, stored and shown. This does not count as applying them. */
const USER_SETTINGS = 'modules/user/profile/user-settings.dto.ts';
const OWN_FILES = [
  USER_SETTINGS,
  'modules/user/account/user.entity.ts',
  'modules/user/profile/profile.service.ts',
  'modules/user/settings/settings.service.ts',
  'modules/admin/settings/',
];

const code = sourceCode();
const outside = (...paths: string[]): SourceCode[] =>
  code.filter(({ path }) => !paths.some((own) => path.startsWith(own)));
const isRead = (name: string, files: SourceCode[]): boolean => files.some(({ reads }) => reads.has(name));
const isSaid = (text: string, files = code): boolean => files.some(({ texts }) => texts.has(text));

describe('every setting', () => {
  it('of a user is applied by the code, or documented as a client setting', () => {
    const text = readFileSync(join(SOURCE, USER_SETTINGS), 'utf8');
    const forClients = new Set(
      [...text.matchAll(/\/\*\* For clients: [^\n]*\n(?:\s*@[^\n]*\n)*\s*(\w+)[?:]/g)].map(([, name]) => name),
    );
    const names = Object.keys(toUserSettingsDto({}));
    expect(names.filter((name) => forClients.has(name))).toEqual(['timezone', 'theme', 'client']);
    const promised = names.filter((name) => !forClients.has(name));
    expect(promised).toHaveLength(3);
    expect(promised.filter((name) => !isRead(name, outside(...OWN_FILES)))).toEqual([]);
  });

  it('of the installation is applied by the code', () => {
    const names = ['registration_enabled', 'allowed_email_domains', 'messagesPerDay', 'tokensPerDay'];
    expect(names.filter((name) => !isRead(name, outside(...OWN_FILES, 'modules/usage/quota/plan.entity')))).toEqual([]);
  });

  it('of the environment is read where it is applied', () => {
    const unread = serviceFeatures.all('configuration').flatMap((environment) => {
      const own = code.find(({ classes }) => classes.has(environment.name))!;
      return Object.keys(new environment()).filter((name) => !isKept(name, environment.name, own));
    });
    expect(unread).toEqual(WITHOUT_EFFECT);
  });

  it('that no code reads would be found', () => {
    const own = readSource(
      'own.ts',
      'class Own { A = 1; B = 2; get c() { return this.A; } get d() { return this.B; } }',
    );
    const other = readSource('other.ts', "log('A is set'); /* own.A */ own.B = 3; use(own.d); const { e } = own;");
    expect([other.reads, other.texts]).toEqual([new Set(['d', 'e']), new Set(['A is set'])]);
    expect(['A', 'B'].filter((name) => isKept(name, 'Own', own, [other]))).toEqual(['B']);
  });
});

/** Read elsewhere, or by a member of its own class that is read elsewhere. */
function isKept(
  name: string,
  className: string,
  own: SourceCode,
  others = code.filter((file) => file !== own),
): boolean {
  const members = [...(own.classes.get(className) ?? [])];
  return isRead(name, others) || members.some(([member, { reads }]) => reads.has(name) && isRead(member, others));
}

describe('every message', () => {
  it('about an error belongs to a class that is thrown or documented', async () => {
    const classes = (await exportsOf('.errors.ts')).filter(
      (value): value is typeof ApiError & { code: string } =>
        typeof value === 'function' && value.prototype instanceof ApiError && 'code' in value,
    );
    const codes = new Set(classes.map((error) => error.code));
    expect(Object.keys(CATALOGUE.en.errors).filter((name) => !codes.has(name))).toEqual([]);
  });

  it('about a field is the reason of a rule', () => {
    const rules = readFileSync(join(SOURCE, 'common/validation/field-faults.ts'), 'utf8');
    const decorators = (reason: string) =>
      [...rules.matchAll(/(\w+): '(\w+)'/g)].flatMap(([, rule = '', token]) =>
        token === reason ? [`${rule[0]?.toUpperCase()}${rule.slice(1)}`] : [],
      );
    const texts = outside('common/validation/field-faults.ts');
    const source = texts.map(({ path }) => readFileSync(join(SOURCE, path), 'utf8')).join('\n');
    const isUsed = (reason: string): boolean =>
      isSaid(reason, texts) ||
      isSaid(`validation.${reason}`) ||
      decorators(reason).some((name) => new RegExp(`@?${name}\\(`).test(source));
    expect(Object.keys(CATALOGUE.en.validation).filter((reason) => !isUsed(reason))).toEqual([]);
    expect(isUsed('no_such_reason')).toBe(false);
  });

  it('about a success is returned by a route', () => {
    const source = code.map(({ path }) => readFileSync(join(SOURCE, path), 'utf8')).join('\n');
    const acknowledged = [...source.matchAll(/acknowledge\(([^;]*)\)/g)].map(([, parameters]) => parameters).join();
    const isUsed = (name: string): boolean => isSaid(`messages.${name}`) || acknowledged.includes(`'${name}'`);
    expect(Object.keys(CATALOGUE.en.messages).filter((name) => !isUsed(name))).toEqual([]);
    expect(isUsed('no_such_sentence')).toBe(false);
  });

  it('that the code names exists', () => {
    const source = code.map(({ path }) => readFileSync(join(SOURCE, path), 'utf8')).join('\n');
    // The id of an operation, such as `pages.list`, may look like a key.
    const operations = [...source.matchAll(/operationId: '([\w.]+)'/g)].map(([, id]) => id);
    const named = code
      .flatMap(({ texts }) => [...texts].filter((text) => /^(messages|validation|pages)\.\w+$/.test(text)))
      .filter((text) => !operations.includes(text));
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((key) => !isTranslated(key))).toEqual([]);
  });

  it('of a mail is in its template, and the mail is defined', () => {
    const frame = readFileSync(join(SOURCE, 'integrations/mail/templates/html/layout.hbs'), 'utf8');
    const { common = {}, ...mails } = CATALOGUE.en.mails;
    const bodies = new Map(
      serviceFeatures.all('mails').map(({ kind, template }) => [kind, readFileSync(template, 'utf8')]),
    );
    expect([...bodies.keys()].sort()).toEqual(Object.keys(mails).sort());
    const unused = Object.entries(mails).flatMap(([kind, words]) =>
      Object.keys(words).filter(
        (word) => word !== 'subject' && !`${bodies.get(kind)}${frame}`.includes(`words.${word}`),
      ),
    );
    expect(unused).toEqual([]);
    const everything = `${[...bodies.values()].join('')}${frame}`;
    expect(Object.keys(common).filter((word) => !everything.includes(`common.${word}`))).toEqual([]);
  });
});
