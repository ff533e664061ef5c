import { normalForm } from './normal-form';

describe('normalForm', () => {
  it('makes texts that look the same equal', () => {
    expect(normalForm('e\u0301')).toBe('\u00e9');
    expect(normalForm('\ufb01', 'NFKC')).toBe('fi');
    expect(normalForm('\u1f00\u0300\u0345'.normalize('NFD').repeat(128))).toHaveLength(128);
  });

  it('does not change texts that are longer than any rule allows', () => {
    const marks = '\u0345\u0301'.repeat(1_000);
    expect(normalForm(marks)).toBe(marks);
  });
});
