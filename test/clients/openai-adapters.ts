/** Third-party clients of OpenAI's API, as applications use them. */
export { createOpenAI } from '@ai-sdk/openai';
export { HumanMessage, ToolMessage } from '@langchain/core/messages';
export { ChatOpenAI } from '@langchain/openai';
export { APICallError, generateText, stepCountIs, streamText, tool } from 'ai';
