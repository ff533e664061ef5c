/** The path prefix of the Anthropic-compatible API. Clients append `/v1/messages` to it. */
export const ANTHROPIC_PREFIX = 'anthropic';

/** The scope that an API key needs for the Anthropic-compatible API. */
export const ANTHROPIC_SCOPE = 'anthropic';

/** The full path of messages, as in stored requests. */
export const MESSAGES_PATH = `/${ANTHROPIC_PREFIX}/v1/messages`;
