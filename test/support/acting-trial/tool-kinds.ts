/** What of a tool matters to what may be done. The service is told the same of them. */
export interface ToolKind {
  /** Whether the agent asks before each call. */
  asks?: true;
  isIdempotent?: true;
  isReadOnly?: true;
}

/** Those of a module (`service.js`), and of a server of tools. */
export const KINDS: Record<string, ToolKind> = {
  book: {},
  book_asking: { asks: true },
  note: { isIdempotent: true },
  look: { isReadOnly: true },
};

/** The label of the server. */
export const SERVED = 'effects';

/** What their names begin with for agents. */
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
