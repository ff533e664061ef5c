/**
 * A fault that the operator of the service can fix. The message says what is wrong and what to do; it needs no stack.
 */
export abstract class OperatorError extends Error {}
