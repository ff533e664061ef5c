import { WholeNumber } from '../../config/environment-rules';

/** Limits of the Anthropic-compatible API. */
export class AnthropicConfig {
  /** Seconds for a whole response of `/v1/messages`, streamed or not. It replaces `LLM_TOTAL_TIMEOUT`. */
  @WholeNumber(1, 86_400)
  ANTHROPIC_TOTAL_TIMEOUT = 3_600;
}
