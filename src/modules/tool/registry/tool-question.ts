/** A question of an MCP server: a form, or a URL for the user to open. Invisible characters are removed. */
export type ToolQuestion = AskedForm | AskedAddress;

interface AskedForm {
  message: string;
  /** JSON Schema of an object with only texts, numbers, booleans and choices. */
  schema: Record<string, unknown>;
  /** The host of the MCP server. */
  host: string;
}

interface AskedAddress {
  message: string;
  /** An https URL without credentials. */
  url: string;
  /** The host of the URL. */
  host: string;
}

/** The answer in the terms of the MCP specification (elicitation result). */
export interface ToolAnswer {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string | number | boolean | string[]>;
}

/** Answers by the server's names for its questions, with the state that the server expects back. */
export interface ToolAnswers {
  state: string | null;
  answers: Record<string, ToolAnswer>;
}

/** The progress of a call. */
export interface ToolProgress {
  progress: number;
  total: number | null;
  /** At most 200 characters. Null: none. */
  message: string | null;
}

/** The channel of a running call of an MCP server's tool, in addition to its result. */
export interface CallTalk {
  /** Answers to questions of an earlier attempt. */
  before: ToolAnswers | null;
  /** Asks the user during the call, whose time limit pauses. @throws Error when the call has ended */
  ask(question: ToolQuestion, signal: AbortSignal): Promise<ToolAnswer>;
  progress(progress: ToolProgress): void;
}

/**
 * Thrown by a tool call whose MCP server needs answers first. The call is repeated with the answers and with `state`.
 * If `state` is undefined, the call is repeated from the start after the user has done what the questions require.
 * `answers` are those that need no person.
 */
export class InputNeededError extends Error {
  override readonly name = 'InputNeededError';

  constructor(
    readonly questions: Readonly<Record<string, ToolQuestion>>,
    readonly answers: Readonly<Record<string, ToolAnswer>>,
    readonly state: string | null | undefined,
  ) {
    super('The server of the tool asks its user something first.');
  }
}
