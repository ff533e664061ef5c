import { withoutSecrets } from '../security/without-secrets';

/**
 * What the log shows of an error and its causes, without keys and tokens that its message repeats. It shows no other
 * members, because database errors contain the values of the statement, which may be secrets.
 */
export function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) {
    return error;
  }
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: withoutSecrets(error.message),
    ...(typeof code === 'string' && { code }),
    stack: error.stack === undefined ? undefined : withoutSecrets(error.stack),
    ...(error.cause !== undefined && { cause: serializeError(error.cause) }),
  };
}
