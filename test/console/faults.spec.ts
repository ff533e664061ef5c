import { ApiError } from 'chat-service-client';
import { loadTexts } from '../../console/src/app/i18n/languages';
import { EntryError, faultsOf } from '../../console/src/components/form/faults';
import { restoreGlobals, setPageGlobals } from './page-globals';

jest.mock('../../console/src/app/i18n/locale-files', () => jest.requireActual<object>('./locale-files'));

const refusal = (code: ApiError['code'], details: Record<string, unknown>): ApiError =>
  new ApiError('The sentence of the service.', 422, code, details, null, null);

describe('errors at form fields', () => {
  beforeAll(async () => {
    setPageGlobals('en');
    await loadTexts('shell');
  });

  afterAll(restoreGlobals);

  it('are one message for each field, of the first rule that it breaks', () => {
    const errors = [
      { field: 'name', reason: 'required' },
      { field: 'name', reason: 'too_short' },
      { field: 'email', reason: 'a_rule_of_tomorrow' },
      { field: 'age' },
    ];
    expect(faultsOf(refusal('VALIDATION_ERROR', { errors }))).toEqual({
      name: 'This field is required.',
      email: 'The service rejected this value.',
      age: 'The service rejected this value.',
    });
  });

  it('are at the list for an entry in it', () => {
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

  it("are the service's message if it names the field, otherwise the page's", () => {
    expect(faultsOf(refusal('USERNAME_TAKEN', { field: 'username' }))).toEqual({
      username: 'The sentence of the service.',
    });
    expect(faultsOf(new EntryError('password', 'This is not your password.'))).toEqual({
      password: 'This is not your password.',
    });
  });

  it('are empty if no field is named', () => {
    expect(faultsOf(refusal('FORBIDDEN', {}))).toEqual({});
    expect(faultsOf(new Error('offline'))).toEqual({});
    expect(faultsOf(refusal('VALIDATION_ERROR', { errors: 'many' }))).toEqual({});
  });
});
