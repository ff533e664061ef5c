/**
 * What a tool throws when it says itself that it failed, and nothing was done. Its words are told to the model; those of other
 * errors are not.
 *
 * @example
 * throw new ToolError('There is no bookmark with this id.');
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
