/** What a server of tools wants to know: a form, or to have its user look at an address. Nothing in it that nobody sees. */
export type ToolQuestion = AskedForm | AskedAddress;

interface AskedForm {
  message: string;
  /** JSON Schema of an object that has only texts, numbers, yes or no, and choices. */
  schema: Record<string, unknown>;
  /** Of the server. */
  host: string;
}

interface AskedAddress {
  message: string;
  /** https, without credentials. */
  url: string;
  /** Of the address. */
  host: string;
}

/** As the protocol has it. */
export interface ToolAnswer {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string | number | boolean | string[]>;
}

/** Answers by the names that the server gave its questions, and what it wants to have back beside them. */
export interface ToolAnswers {
  state: string | null;
  answers: Record<string, ToolAnswer>;
}

/** How far a call has come. */
export interface ToolProgress {
  progress: number;
  total: number | null;
  /** At most 200 characters; null: none. */
  message: string | null;
}

/** What a call of a server's tool does beside giving a result. */
export interface CallTalk {
  /** What was asked at an earlier attempt, and answered. */
  before: ToolAnswers | null;
  /** Asks while the call is open; the time of the call stands still. @throws Error when the call has ended meanwhile */
  ask(question: ToolQuestion, signal: AbortSignal): Promise<ToolAnswer>;
  progress(progress: ToolProgress): void;
}

/**
 * What calling a tool throws when its server wants to know something before it goes on: the call is made again with the answers.
 * `state` is to be sent back with them; undefined: the call is made again as if for the first time, once people have done what they
 * are asked for. `answers` are those that need no person.
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
