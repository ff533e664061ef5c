/** OpenAI's Agents SDK, as applications use it. */
export { Agent, hostedMcpTool, OpenAIProvider, Runner, tool } from '@openai/agents';
