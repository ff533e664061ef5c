/** Where the routes of OpenAI's API begin: a client's base URL ends so. */
export const OPENAI_PREFIX = 'openai/v1';
