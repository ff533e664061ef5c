import { QueryFailedError } from 'typeorm';
import { serializeError } from './logging.module';

describe('an error in the log', () => {
  it('shows the error and its cause, but no parameter values of a statement', () => {
    const refused = Object.assign(new Error('no such table'), { code: 'ER_NO_SUCH_TABLE' });
    const failed = new QueryFailedError('SELECT ?', ['a secret value'], refused);
    const shown = serializeError(new Error('outer', { cause: failed }));
    expect(shown).toMatchObject({
      type: 'Error',
      message: 'outer',
      stack: expect.stringContaining('logging.module.spec'),
      cause: { type: 'QueryFailedError', message: 'no such table' },
    });
    expect(JSON.stringify(shown)).not.toContain('a secret value');
  });

  it('shows no key that it repeats', () => {
    const key = `ck_${'a1B2'.repeat(12)}`;
    const shown = JSON.stringify(serializeError(new Error(`Cannot parse "${key.replace('c', '%63')}" and "${key}"`)));
    expect(shown).toContain('%63k_[hidden]');
    expect(shown).not.toContain('a1B2');
  });
});
