import { exactNumber, toExactJson } from './exact-json';

describe('exact numbers in JSON', () => {
  it.each(['0', '0.000000000001', '0.1234567890123456789', '9007199254740993.000000000001', '12'])('%s', (digits) => {
    expect(toExactJson({ usage: { cost: exactNumber(digits), text: `"${digits}"` } })).toBe(
      `{"usage":{"cost":${digits},"text":"\\"${digits}\\""}}`,
    );
  });

  it('are ordinary numbers where no code needs their digits', () => {
    expect(JSON.stringify([exactNumber('0.25')])).toBe('[0.25]');
    expect(toExactJson({ cost: null })).toBe('{"cost":null}');
  });
});
