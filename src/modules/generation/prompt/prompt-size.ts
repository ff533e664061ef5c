/** The size of a conversation in the prompt, without the agent's own texts. */
export interface PromptSize {
  /** Estimated tokens, including the overhead of the chat format per message. */
  tokens: number;
  images: number;
  /** Additional tokens that pages of PDFs may need. */
  pageTokens: number;
  /** Tokens without those pages, as counted by o200k_base. Null: no budget with a hard limit applies. */
  countedTokens: number | null;
}
