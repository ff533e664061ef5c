/**
 * What the log shows of an error and its causes. Only these members, because errors of the database carry the values of
 * their statement, and those may be secrets.
 */
export function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) {
    return error;
  }
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    stack: error.stack,
    ...(error.cause !== undefined && { cause: serializeError(error.cause) }),
  };
}
