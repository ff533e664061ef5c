/** OpenAI's agents, as applications have them. */
export { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
