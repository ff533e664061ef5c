/** The cause of failures that the service itself decides: the provider has asked to be left alone. */
export class AskedToWaitError extends Error {
  override readonly name = 'AskedToWaitError';
}
