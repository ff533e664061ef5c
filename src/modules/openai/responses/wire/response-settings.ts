import type { ToolDefinition } from '../../../../integrations/llm/message-parts';

/** Stored with each response: what the standard wants to see repeated whenever the response is shown. */
export interface ResponseSettings {
  model: string;
  instructions: string | null;
  previous_response_id: string | null;
  tools: ToolResource[];
  tool_choice: ToolChoiceResource;
  parallel_tool_calls: boolean;
  text: { format: Record<string, unknown>; verbosity?: string };
  reasoning: { effort: string | null; summary: string | null } | null;
  temperature: number;
  top_p: number;
  presence_penalty: number;
  frequency_penalty: number;
  max_output_tokens: number | null;
  max_tool_calls: number | null;
  store: boolean;
  background: boolean;
  metadata: Record<string, string>;
  user: string | null;
  safety_identifier: string | null;
  prompt_cache_key: string | null;
}

export interface ToolResource extends ToolDefinition {
  type: 'function';
}

export type ToolChoiceResource =
  | 'none'
  | 'auto'
  | 'required'
  | { type: 'function'; name: string }
  | { type: 'allowed_tools'; mode: 'auto' | 'required' | 'none'; tools: { type: 'function'; name: string }[] };
