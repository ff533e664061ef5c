/** Anthropic's own client, as applications use it. Import it from here, because it is installed in this folder only. */
export { default as Anthropic, APIError } from '@anthropic-ai/sdk';
export { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
