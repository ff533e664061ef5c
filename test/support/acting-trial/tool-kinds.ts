/** The properties of a tool that decide what is allowed. The service receives the same ones. */
export interface ToolKind {
  /** Whether the agent requires approval for each call. */
  asks?: true;
  isIdempotent?: true;
  isReadOnly?: true;
}

/** The tools in a module (`service.js`), and on an MCP server. */
export const KINDS: Record<string, ToolKind> = {
  book: {},
  book_asking: { asks: true },
  note: { isIdempotent: true },
  look: { isReadOnly: true },
};

/** The label of the server. */
export const SERVED = 'effects';

/** The prefix of their names for agents. */
export const PREFIX = `${SERVED}__`;

/** All tools that the agent has. */
export const TOOLS = Object.keys(KINDS).flatMap((name) => [name, PREFIX + name]);

/** @param tool as the agent knows it, or its server */
export function kindOf(tool: string): ToolKind {
  const kind = KINDS[tool.startsWith(PREFIX) ? tool.slice(PREFIX.length) : tool];
  if (kind === undefined) {
    throw new Error(`There is no tool ${tool}.`);
  }
  return kind;
}
