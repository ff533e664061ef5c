import { ApiError, type ApiErrorClass } from '../../src/common/errors/api-error';
import { errorBody } from '../../src/common/errors/error-body';
import { exampleOf } from '../../src/common/errors/error-documentation';
import { LANGUAGES } from '../../src/common/i18n/language';
import { isTranslated, translate } from '../../src/common/i18n/translator';
import { exportsOf } from '../support/project-files';
import { speakAsService } from '../support/service-features';

/** The published codes with their status. Changing a line breaks clients; further modules add their own codes. */
const CATALOGUE: Record<number, string[]> = {
  400: ['INVALID_CODE', 'INVALID_JSON', 'VALIDATION_ERROR'],
  401: [
    'INVALID_CREDENTIALS',
    'REFRESH_TOKEN_INVALID',
    'REFRESH_TOKEN_REUSED',
    'SESSION_REVOKED',
    'TICKET_INVALID',
    'TOKEN_EXPIRED',
    'TOKEN_INVALID',
    'UNAUTHORIZED',
  ],
  402: ['PAYMENT_REQUIRED'],
  403: ['ACCOUNT_BANNED', 'FORBIDDEN', 'MEMBERSHIP_REQUIRED', 'REGISTRATION_DISABLED'],
  404: [
    'AGENT_NOT_FOUND',
    'AGENT_VERSION_NOT_FOUND',
    'CHAT_NOT_FOUND',
    'DELIVERY_NOT_FOUND',
    'MESSAGE_NOT_FOUND',
    'NOT_FOUND',
    'PROVIDER_NOT_FOUND',
    'SESSION_NOT_FOUND',
    'USER_NOT_FOUND',
    'WEBHOOK_NOT_FOUND',
  ],
  405: ['METHOD_NOT_ALLOWED'],
  406: ['NOT_ACCEPTABLE'],
  409: [
    'AGENT_INACTIVE',
    'AGENT_NAME_TAKEN',
    'EMAIL_ALREADY_REGISTERED',
    'GENERATION_IN_PROGRESS',
    'IDEMPOTENCY_CONFLICT',
    'LAST_ADMIN',
    'PROVIDER_IN_USE',
    'PROVIDER_NAME_TAKEN',
    'PROVIDER_READ_ONLY',
    'USERNAME_TAKEN',
    'VERSION_CONFLICT',
  ],
  413: ['PAYLOAD_TOO_LARGE'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  422: ['CONTENT_REFUSED', 'CONTEXT_TOO_LONG', 'VALIDATION_ERROR', 'WEBHOOK_URL_FORBIDDEN'],
  429: ['ACCOUNT_LOCKED', 'CODE_SEND_TOO_FREQUENT', 'QUOTA_EXCEEDED', 'RATE_LIMIT_EXCEEDED', 'TOO_MANY_CONCURRENT'],
  500: ['INTERNAL_ERROR'],
  502: ['PROVIDER_ERROR'],
  503: ['EMAIL_SEND_FAILED', 'PROVIDER_UNAVAILABLE', 'SERVICE_UNAVAILABLE'],
  504: ['PROVIDER_TIMEOUT'],
};

describe('the error catalogue', () => {
  beforeAll(speakAsService);

  let classes: ApiErrorClass[];

  beforeAll(async () => {
    const exported = await exportsOf('.errors.ts');
    classes = exported.filter(
      (value): value is ApiErrorClass =>
        typeof value === 'function' && value.prototype instanceof ApiError && 'code' in value,
    );
  });

  it('has a class for every published code, with its status', () => {
    const found: Record<number, string[]> = {};
    for (const { status, code } of classes) {
      found[status] = [...new Set([...(found[status] ?? []), code])].sort();
    }
    const kept = Object.entries(CATALOGUE).map(([status, codes]) => [
      status,
      codes.filter((code) => found[Number(status)]?.includes(code)),
    ]);
    expect(Object.fromEntries(kept)).toEqual(CATALOGUE);
  });

  it('describes in each class what happened and what to do', () => {
    for (const { code, summary } of classes) {
      expect({ code, summary }).toEqual({ code, summary: expect.stringMatching(/^[A-Z].{15,}\.$/s) as string });
    }
  });

  it('has an example for each class, which is the body that a client would receive', () => {
    for (const failure of classes) {
      const example = exampleOf(failure);
      const { error } = errorBody(example, 'en');
      expect(example.constructor).toBe(failure);
      expect(JSON.parse(JSON.stringify(error.details))).toStrictEqual(error.details);
      // No placeholder is left, and none was filled with an empty value.
      expect(error.message).toMatch(/^(?!.*(\{\{| \.| {2}|\( )).*\.$/);
      expect({ code: error.code, waits: error.retry_after !== undefined }).toEqual({
        code: failure.code,
        // Waiting does not help if an administrator has to set a price.
        waits: [429, 503].includes(failure.status) && failure.code !== 'MODEL_NOT_PRICED',
      });
    }
  });

  it.each(LANGUAGES)(
    'has a message for every code, in locales/%s.json of the module or of src/common/i18n',
    (language) => {
      const keys = classes.map(({ code }) => `errors.${code}`);
      expect(keys.filter((key) => !isTranslated(key) || translate(language, key) === key)).toEqual([]);
    },
  );
});
