/** By which a schema says that an argument is sent in a header of HTTP too. */
const DECLARATION = 'x-mcp-header';

/** A token (RFC 9110 §5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Types whose values have one form as a header. */
const PERMITTED_TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/** Members of a schema that are values, and no schemas. */
const OF_VALUES = ['default', 'const', 'enum', 'examples'];

/**
 * Whether a schema declares headers as no client may take them (MCP 2026-07-28): with a name that is no header's or stands twice, for
 * something other than a plain value, or where it cannot be told beforehand which argument is meant. It must not be too deep.
 */
export function hasFaultyHeaders(inputSchema: Record<string, unknown>): boolean {
  const names = new Set<string>();
  const isFaulty = (schema: unknown, isNamed: boolean, isRoot = false): boolean => {
    if (typeof schema !== 'object' || schema === null) {
      return false;
    }
    const { [DECLARATION]: name, type, properties, ...others } = schema as Record<string, unknown>;
    if (DECLARATION in schema) {
      const isTaken = typeof name !== 'string' || names.has(name.toLowerCase());
      if (isTaken || isRoot || !isNamed || !HEADER_NAME.test(name) || !PERMITTED_TYPES.includes(type)) {
        return true;
      }
      names.add(name.toLowerCase());
    }
    const schemas = Object.entries(others).filter(([member]) => !OF_VALUES.includes(member));
    return (
      Object.values(properties ?? {}).some((property) => isFaulty(property, isNamed)) ||
      schemas.some(([, member]) => isFaulty(member, false))
    );
  };
  return isFaulty(inputSchema, true, true);
}
