import type { RelayedAnswer, RelayLimits, RelayRequest } from '../../../integrations/llm/port/relay';
import type { PromptSize } from '../prompt/prompt-size';

/** Receives a relayed response. */
export interface RelaySink {
  /** The head of a successful response. */
  begin(answer: Omit<RelayedAnswer, 'parts'>): Promise<void> | void;

  /**
   * A complete event of a stream, or a part of a whole body.
   *
   * @returns resolves when the client accepts more
   */
  write(bytes: Buffer): Promise<void> | void;
}

/** The tariffs that a request may be billed by. */
export interface RelayTariffs {
  /** What prices append to the model's name for the request; an empty text for the base tariff. */
  fixed: string;
  /** Whether the provider may also choose its priority tier. */
  mayPrioritize: boolean;
}

/** How a reply is relayed: the provider gets the client's bytes, and the client gets the provider's. */
export interface RelayOrder {
  /** The size of the prompt. */
  size: PromptSize;
  tariffs: RelayTariffs;
  /** Most web searches that the provider may make. */
  webSearches: number;
  limits: RelayLimits;
  sink: RelaySink;
  /**
   * Creates the request with this limit of the reply, in tokens. Null after the request was sent, because its body must
   * not stay in memory while the reply runs.
   */
  createRequest: ((outputLimit: number) => RelayRequest) | null;
  /** Why the reply failed, with facts that are not stored. Null: it has not. */
  failure: unknown;
  /** Whether the failure is the provider's own error event, which the client already has. */
  isFailureRelayed: boolean;
}
