import { randomBytes } from 'node:crypto';
import { pathWithoutSecrets, withoutSecrets } from './without-secrets';

const random = (length: number, encoding: 'base64url' | 'base64') => randomBytes(length).toString(encoding);
const letters = (length: number) =>
  random(200, 'base64')
    .replace(/[^0-9A-Za-z]/g, '')
    .slice(0, length);

/** Secrets that must not be logged, by type: the recognisable part and the secret. */
const KINDS: Record<string, () => [string, string]> = {
  'an API key': () => ['ck_', letters(49)],
  'a signing secret': () => ['whsec_', random(32, 'base64')],
  'an access token': () => ['eyJ', `${letters(33)}.${random(90, 'base64url')}.${random(32, 'base64url')}`],
  'a bearer token': () => ['Bearer ', letters(40)],
  'a key of a provider': () => ['sk-', letters(40)],
  'a token in a query': () => ['?ticket=', letters(30)],
};

const hex = (character: string): string => {
  const code = character.charCodeAt(0).toString(16).padStart(2, '0');
  return Math.random() < 0.5 ? code : code.toUpperCase();
};

/** Some characters percent-encoded, some of them several times. */
function encoded(text: string, share: number, times: number): string {
  let result = text;
  for (let time = 0; time < times; time++) {
    result = [...result].map((one) => (Math.random() < share ? `%${hex(one)}` : one)).join('');
  }
  return result;
}

function decoded(text: string): string {
  const next = text.replace(/%([0-9a-f]{2})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return next === text ? text : decoded(next);
}

/** Whether any part of the secret is in the text, in any encoding. */
function contains(text: string, secret: string): boolean {
  const shown = decoded(text);
  return Array.from({ length: secret.length - 7 }, (_value, start) => secret.slice(start, start + 8)).some((piece) =>
    shown.includes(piece),
  );
}

describe('a logged text', () => {
  describe.each(Object.entries(KINDS))('does not contain %s', (_kind, make) => {
    it.each([
      ['as it is', 0, 1],
      ['with some characters encoded', 0.3, 1],
      ['with all characters encoded', 1, 1],
      ['encoded twice', 0.5, 2],
      ['encoded three times', 0.4, 3],
    ])('%s', (_how, share, times) => {
      for (let round = 0; round < 100; round++) {
        const [mark, secret] = make();
        for (const text of [
          `/api/v1/chat/${encoded(mark + secret, share, times)}/stream`,
          `/api/v1/nothing/-${encoded(mark, share, times)}${encoded(secret, share, times)}`,
          encoded(`Cannot read ${mark}${secret}, sorry`, share, times),
        ]) {
          expect({ text, leaks: contains(withoutSecrets(text), secret) }).toEqual({ text, leaks: false });
          expect(contains(pathWithoutSecrets(text), secret)).toBe(false);
        }
      }
    });
  });

  it.each([
    [`/api/v1/chat/ck_${'a1B2'.repeat(12)}/x`, '/api/v1/chat/ck_[hidden]/x'],
    [`/api/v1/chat/%63k_${'a1B2'.repeat(12)}`, '/api/v1/chat/%63k_[hidden]'],
    [`/a/%2563%6B%5f${'a1B2'.repeat(12)}?b`, '/a/%2563%6B%5f[hidden]?b'],
    ['/a/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl/b', '/a/eyJ[hidden]/b'],
    [`CK_${'A'.repeat(49)} and ck_${'b'.repeat(49)}`, 'CK_[hidden] and ck_[hidden]'],
    ['GET /x?ticket=abc&limit=2', 'GET /x?ticket=[hidden]&limit=2'],
    [`Authorization: Bearer ${'x'.repeat(32)}, b`, 'Authorization: Bearer [hidden], b'],
    ['/a/%', '/a/%'],
    ['/a/%zz%6', '/a/%zz%6'],
  ])('of %s is %s', (text, shown) => expect(withoutSecrets(text)).toBe(shown));

  it('hides nothing that looks like a token in a path', () => {
    for (let round = 0; round < 1_000; round++) {
      const token = random(52, 'base64url');
      expect(contains(pathWithoutSecrets(`/api/v1/auth/refresh_token/${token}`), token)).toBe(false);
    }
  });

  it('hides no long token with few digits in a path', () => {
    const token = `${'aB-_'.repeat(17)}1c`;
    expect(pathWithoutSecrets(`/a/${token}/b`)).toBe('/a/[hidden]/b');
  });

  it('shows the type of a key in a path too', () => {
    const key = letters(49);
    expect(pathWithoutSecrets(`/a/ck_${key}/b`)).toBe('/a/ck_[hidden]/b');
    expect(pathWithoutSecrets(`/a/%63k_${key}/${key}`)).toBe('/a/%63k_[hidden]/[hidden]');
  });

  it.each([
    '/api/v1/chat/17/messages/23/regenerate',
    '/api/v1/chat/17/files/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    '/api/v1/admin/users/c0ffee00-1234-4abc-8def-0123456789ab',
    '/openai/v1/models/meta-llama%2FLlama-3.3-70B-Instruct-Turbo',
    '/openai/v1/responses/resp_123456789012345678901234',
    '/console/assets/providers-B3x9_abQ.js',
    '/api/v1/suche/%C3%BCber%20alles%20in%20der%20Welt',
    '/api/v1/conversations-of-yesterday-and-of-today-2026',
    '/api/v1/stack_traces_of_everything',
  ])('is %s, in which nothing is hidden', (path) => {
    expect(pathWithoutSecrets(path)).toBe(path);
    expect(withoutSecrets(path)).toBe(path);
  });

  it('takes no longer for a long text that an attacker has encoded many times', () => {
    const start = process.cpuUsage();
    for (const text of ['%25'.repeat(5_400), `${'%'.repeat(8_000)}${'41'.repeat(4_000)}`, `ck_${'a'.repeat(16_000)}`]) {
      pathWithoutSecrets(text);
    }
    expect(process.cpuUsage(start).user).toBeLessThan(500_000);
  });
});
