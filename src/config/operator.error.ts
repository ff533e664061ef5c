/** A fault that the operator of the service can mend: the message says what is wrong and what to do, and needs no stack. */
export abstract class OperatorError extends Error {}
