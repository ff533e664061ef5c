/** Items of Open Responses 2026-04-24 as this service writes them. */
export type OutputItem = MessageItem | FunctionCallItem | ReasoningItem;

export type ResponseItem = OutputItem | FunctionCallOutputItem;

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export interface MessageItem {
  type: 'message';
  id: string;
  status: ItemStatus;
  role: 'user' | 'assistant' | 'system';
  content: (OutputText | InputContent)[];
}

export interface OutputText {
  type: 'output_text';
  text: string;
  annotations: never[];
  logprobs: never[];
}

export type InputContent =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string | null; detail: 'auto' | 'low' | 'high' }
  | { type: 'input_file'; filename?: string };

export interface FunctionCallItem {
  type: 'function_call';
  id: string;
  status: ItemStatus;
  /** The id that the model gave the call; its result names it. */
  call_id: string;
  name: string;
  /** JSON, as the model wrote it. */
  arguments: string;
}

export interface FunctionCallOutputItem {
  type: 'function_call_output';
  id: string;
  status: ItemStatus;
  call_id: string;
  output: string;
}

/** What the model thought, in full: there is no summary of it. */
export interface ReasoningItem {
  type: 'reasoning';
  id: string;
  status: ItemStatus;
  summary: never[];
  content: { type: 'reasoning_text'; text: string }[];
}

export function outputText(text: string): OutputText {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}
