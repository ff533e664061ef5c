/** Clients of others that speak to OpenAI's API, as applications have them. */
export { createOpenAI } from '@ai-sdk/openai';
export { HumanMessage, ToolMessage } from '@langchain/core/messages';
export { ChatOpenAI } from '@langchain/openai';
export { APICallError, generateText, stepCountIs, streamText, tool } from 'ai';
