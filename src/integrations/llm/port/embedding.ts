/** What is to be embedded: texts, or tokens of the model. */
export type EmbeddingInput = string | string[] | number[] | number[][];

export interface EmbeddingRequest {
  model: string;
  input: EmbeddingInput;
  /** Null: the model's own. */
  dimensions: number | null;
  /** The length that its vectors are known to have. It is not sent: some models refuse the parameter. */
  length?: number | null;
  /** Names the end user to the provider. */
  user?: string;
  /** The header with which the provider continues the trace; absent: the request is not traced. */
  traceparent?: string | undefined;
}

export interface EmbeddingResult {
  /** One for each input, in their order. */
  vectors: Float32Array[];
  /** Tokens of the input; null: the provider reported none. */
  tokens: number | null;
  /** The model that answered, as the provider names it. */
  model: string | null;
}

/** The request was sent, and it is unknown whether it was executed: there was no response, or only a part of it. */
export class EmbeddingLostError extends Error {}

/** The provider answered, and what it answered is no list of vectors. The request has cost something. */
export class EmbeddingAnswerError extends Error {
  constructor(
    message: string,
    readonly tokens: number | null = null,
  ) {
    super(message);
  }
}
