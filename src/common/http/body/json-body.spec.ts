import { InvalidJsonError, PayloadTooLargeError } from '../../errors/common.errors';
import { ValidationFailedError } from '../../errors/validation.errors';
import type { BodyRules } from './body-rules.decorator';
import { JsonBody } from './json-body';

const RULES: BodyRules = {
  limit: 1_048_576,
  mostValues: 20_000,
  takesFiles: true,
  otherJson: null,
  takesForms: false,
  keepsBytes: false,
};

function read(json: string | Buffer, chunk: number, rules: Partial<BodyRules> = {}): unknown {
  const bytes = Buffer.from(json as string);
  const body = new JsonBody({ ...RULES, ...rules });
  try {
    for (let start = 0; start < bytes.length; start += chunk) {
      body.add(bytes.subarray(start, start + chunk));
    }
    return body.parse();
  } finally {
    body.release();
  }
}

describe('a body with files', () => {
  const file = `data:image/png;base64,${'QUJD'.repeat(400_000)}`;
  const bodies: [string, object][] = [
    ['one', { a: [1, { image_url: { url: file, detail: 'low' } }], b: 'ä' }],
    [
      'several, one of them twice',
      { a: [{ url: file }, { url: 'x' }, { url: file }, { file_data: 'QUJD'.repeat(90) }] },
    ],
    ['a member with the name of a prototype', { ['__proto__']: { url: file }, constructor: { url: file } }],
    ['escaped slashes', { url: `data:${'/'.repeat(70_000)}` }],
    ['lines', { url: `data:image/png;base64,${'QUJD\r\n'.repeat(400_000)}` }],
    ['what is no base64', { url: `data:${'A'.repeat(70_000)}é"\n日` }],
  ];

  it.each(bodies)('is parsed as written: %s', (_name, body) => {
    const json = JSON.stringify(body);
    const parsed = read(json, 65_536);
    expect(JSON.stringify(parsed) === json).toBe(true);
    expect(JSON.stringify(read(json.replaceAll('/', '\\/'), 8_191)) === json).toBe(true);
  });

  it('may be split anywhere', () => {
    const json = JSON.stringify({ a: { url: 'data:a;base64,QUJD' }, file_data: 'QUJDRA==', b: 'data:é' });
    for (let chunk = 1; chunk <= json.length; chunk++) {
      expect([chunk, JSON.stringify(read(json, chunk))]).toEqual([chunk, json]);
    }
  });

  it('may be larger because of its files only', () => {
    const url = `data:,${'A'.repeat(2 * RULES.limit)}`;
    expect(read(JSON.stringify({ url }), 65_536)).toEqual({ url });
    const text = 'x'.repeat(RULES.limit / 2);
    expect(() => read(JSON.stringify({ url, a: text, b: text }), 65_536)).toThrow(PayloadTooLargeError);
  });

  it('is too large with a text that is too long, and in a larger body that text is at fault', () => {
    const json = JSON.stringify({ url: `data:,${'A'.repeat(2 * RULES.limit)}` });
    expect(() => read(json, 65_536, { takesFiles: false })).toThrow(PayloadTooLargeError);
    expect(() => read(json, 65_536, { takesFiles: false, limit: 8 * RULES.limit })).toThrow(ValidationFailedError);
  });

  it.each([
    ['a line end', `{"url":"data:${'A'.repeat(99_999)}\n"}`],
    ['a wrong escape', `{"url":"data:${'A'.repeat(99_999)}\\x"}`],
    [
      'what is no UTF-8',
      Buffer.concat([Buffer.from(`{"url":"data:${'A'.repeat(99_999)}`), Buffer.from([0xff, 0x22, 0x7d])]),
    ],
    ['no end', `{"url":"data:${'A'.repeat(99_999)}`],
  ])('is not JSON with %s', (_name, json) => expect(() => read(json, 65_536)).toThrow(InvalidJsonError));

  it('is refused with characters that databases cannot store', () => {
    expect(() => read(`{"url":"data:${'A'.repeat(99_999)}\\u0000"}`, 65_536)).toThrow(ValidationFailedError);
  });

  it('cannot be imitated: the placeholder for a file during parsing is unpredictable', () => {
    const body = { a: { url: `data:${'A'.repeat(9)}` }, b: 'data:-0' };
    expect(read(JSON.stringify(body), 12)).toEqual(body);
  });
});

it('stores many small parts in few buffers', () => {
  const allocated = jest.spyOn(Buffer, 'allocUnsafeSlow');
  const json = JSON.stringify({ a: Array(10_000).fill('word') });
  expect(JSON.stringify(read(json, 3))).toBe(json);
  expect(allocated.mock.calls.length).toBeLessThan(10);
});
