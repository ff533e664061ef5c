import { ApiError } from 'chat-service-client';
import { loadTexts } from '../../console/src/app/i18n/languages';
import { EntryError, faultsOf } from '../../console/src/components/form/faults';
import { restoreGlobals, setPageGlobals } from './page-globals';

jest.mock('../../console/src/app/i18n/locale-files', () => jest.requireActual<object>('./locale-files'));

const refusal = (code: ApiError['code'], details: Record<string, unknown>): ApiError =>
  new ApiError('The sentence of the service.', 422, code, details, null, null);

describe('what stands at the fields of a form', () => {
  beforeAll(async () => {
    setPageGlobals('en');
    await loadTexts('shell');
  });

  afterAll(restoreGlobals);

  it('is one sentence for each field, of the first rule that it breaks', () => {
    const errors = [
      { field: 'name', reason: 'required' },
      { field: 'name', reason: 'too_short' },
      { field: 'email', reason: 'a_rule_of_tomorrow' },
      { field: 'age' },
    ];
    expect(faultsOf(refusal('VALIDATION_ERROR', { errors }))).toEqual({
      name: 'This is needed.',
      email: 'The service does not accept this.',
      age: 'The service does not accept this.',
    });
  });

  it('stands at the list for an entry of it', () => {
    const errors = [
      { field: 'scopes.0', reason: 'too_long' },
      { field: 'model_params.stop.3.text', reason: 'too_long' },
      { field: 'limits.tokens', reason: 'too_long' },
    ];
    expect(Object.keys(faultsOf(refusal('VALIDATION_ERROR', { errors })))).toEqual([
      'scopes',
      'model_params.stop',
      'limits.tokens',
    ]);
  });

  it('is the sentence of the service where that names the field, or of the page', () => {
    expect(faultsOf(refusal('USERNAME_TAKEN', { field: 'username' }))).toEqual({
      username: 'The sentence of the service.',
    });
    expect(faultsOf(new EntryError('password', 'This is not your password.'))).toEqual({
      password: 'This is not your password.',
    });
  });

  it('is nothing where no field is named', () => {
    expect(faultsOf(refusal('FORBIDDEN', {}))).toEqual({});
    expect(faultsOf(new Error('offline'))).toEqual({});
    expect(faultsOf(refusal('VALIDATION_ERROR', { errors: 'many' }))).toEqual({});
  });
});
