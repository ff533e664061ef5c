import type { ApiError } from '../../common/errors/api-error';
import { errorMessage } from '../../common/errors/error-body';
import type { ErrorDialect } from '../../common/errors/error-dialect';
import { ScimRequestError, type ScimType } from './scim.errors';

/** The media type of SCIM (RFC 7644 §8.1). */
export const SCIM_JSON = 'application/scim+json';

const SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** SCIM error types of the service's own failures. */
const TYPES: Record<string, ScimType> = {
  INVALID_JSON: 'invalidSyntax',
  VALIDATION_ERROR: 'invalidValue',
  EMAIL_ALREADY_REGISTERED: 'uniqueness',
  USERNAME_TAKEN: 'uniqueness',
  GROUP_NAME_TAKEN: 'uniqueness',
  SCIM_NOT_UNIQUE: 'uniqueness',
};

/** Failures in the form of RFC 7644 §3.12, which has no 422: such failures are 400. */
export const SCIM_ERRORS = {
  isDocumented: false,
  names: { body: 'ScimError', error: 'ScimError', code: 'ScimErrorType' },
  schemas: { body: {}, error: {} },
  contentType: SCIM_JSON,
  codes: (all) => all,
  hasDetails: false,
  status: statusOf,
  documented: (failure) => [failure],
  code: ({ code }) => code,
  body: (error, language) => {
    const scimType = typeOf(error);
    return {
      schemas: [SCHEMA],
      status: String(statusOf(error)),
      ...(scimType !== null && { scimType }),
      detail: error instanceof ScimRequestError ? error.detail : errorMessage(error, language),
    };
  },
  headers: () => ({}),
} satisfies ErrorDialect;

function statusOf({ status }: ApiError): number {
  return status === 422 ? 400 : status;
}

function typeOf(error: ApiError): ScimType | null {
  return error instanceof ScimRequestError ? error.scimType : (TYPES[error.code] ?? null);
}
