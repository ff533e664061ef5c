/**
 * A tool throws this error if it fails and has done nothing. The model sees its message, but not those of other errors.
 *
 * @example throw new ToolError('There is no bookmark with this id.');
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
