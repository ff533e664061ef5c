/** A longer list is not readable in a message. */
const LONGEST_LIST = 12;

/** The value `allowed` for the message of `not_allowed`, if the list of allowed values is known and short. */
export function allowedValues(values: unknown): { allowed?: string } {
  return Array.isArray(values) && values.length > 0 && values.length <= LONGEST_LIST
    ? { allowed: values.join(', ') }
    : {};
}
