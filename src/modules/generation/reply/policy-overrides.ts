/** Tools that a request denies or requires approval for, by name. */
export type RequestPolicies = Readonly<Record<string, 'ask' | 'deny'>>;

/** Selects tools of a module or MCP server by their own names there, by whether they are read-only, or by both. */
export interface ToolFilter {
  tool_names?: readonly string[] | undefined;
  read_only?: boolean | undefined;
}

/** How a request restricts the tools of one module or MCP server, including tools that are added later. */
export interface SourceRule {
  /** The module, or the label of the MCP server. */
  source: string;
  /** Only these tools are offered. Null: all. */
  allowed: ToolFilter | null;
  /** These tools need approval. `all`: every tool. */
  asks: 'all' | { always?: ToolFilter | undefined; never?: ToolFilter | undefined } | null;
}

/**
 * How a request tightens the policies of its agent. Stored with the reply so that another version of it is as strict.
 */
export interface PolicyOverrides {
  policies: RequestPolicies;
  /** Absent: none. */
  rules?: readonly SourceRule[];
}

export const NOT_TIGHTENED: PolicyOverrides = { policies: {} };
