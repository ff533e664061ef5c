/** OpenAI's agents, as applications have them. */
export { Agent, hostedMcpTool, OpenAIProvider, Runner, tool } from '@openai/agents';
