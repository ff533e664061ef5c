/** Why a file has no passages. These are the `error.code` of an entry. */
export const DOCUMENT_FAULTS = [
  'type_not_supported',
  'encoding',
  'no_text',
  'encrypted',
  'broken',
  'unsafe',
  'too_much_text',
  'timeout',
  'memory',
] as const;

export type DocumentFault = (typeof DOCUMENT_FAULTS)[number];

/** A file cannot be read. Trying again has the same result. */
export class DocumentFailure extends Error {
  constructor(
    readonly fault: DocumentFault,
    options?: ErrorOptions,
  ) {
    super(`The document cannot be read: ${fault}`, options);
  }
}

/** The process that reads a file ended without a result. It may be a fault of this machine. */
export class ParserDiedError extends Error {}
