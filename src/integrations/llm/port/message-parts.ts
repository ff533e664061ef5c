/**
 * A piece of a message that is more than its text. Names are those of the API: parts are stored and shown as they stand here,
 * except that a stored image or file names its bytes by hash (`StoredPart`).
 */
export type MessagePart = TextPart | ReasoningPart | BinaryPart | ToolCallPart | ToolResultPart;

export interface TextPart {
  type: 'text';
  text: string;
  /** What a program says of a message of the model: whether it is a comment, or the answer. Models are not told. */
  phase?: string;
}

/** What a model thought. */
export interface ReasoningPart {
  type: 'reasoning';
  text: string;
}

/** An image or another file, with its bytes. */
export interface BinaryPart {
  type: 'image' | 'file';
  /** Media type, such as `image/png`. */
  media_type: string;
  /** The file's name; null when the sender gave none. */
  name: string | null;
  data: Uint8Array;
  /** Pages of a PDF; absent: it is none, or they could not be read. */
  pages?: number;
  /** How closely the model should look at an image; null: it decides. */
  detail: ImageDetail | null;
  /** The call that returned it; absent: none. */
  call_id?: string;
}

export type ImageDetail = 'auto' | 'low' | 'high';

/** A function that the model wants to have called. The caller calls it, and sends a `ToolResultPart`. */
export interface ToolCallPart {
  type: 'tool_call';
  /** Names the call; its result has the same id. */
  id: string;
  name: string;
  /** JSON, as the model wrote it: it may be malformed. */
  arguments: string;
  /** What the caller calls it; absent: a function with the name that the model was told. */
  tool?: CalledTool;
  /** How a call stands that the service makes itself; absent: the caller makes it. */
  state?: ToolCallState;
  /** Whether an approver put `arguments` in the place of those that the model wrote. */
  edited?: true;
  /** The server whose tool the service calls; absent: a module's, or the caller's. */
  server?: string;
}

/** How a call of a tool stands that the service makes itself. */
export const TOOL_CALL_STATES = [
  'proposed',
  'waiting',
  'approved',
  'denied',
  'expired',
  'running',
  'succeeded',
  'failed',
  'unknown',
  'cancelled',
] as const;

export type ToolCallState = (typeof TOOL_CALL_STATES)[number];

/** A tool that models know as a function of another name, or of another form. */
export interface CalledTool {
  /** `custom`: its only argument is a text, `input`. */
  type: 'function' | 'custom';
  name: string;
  /** The group of tools that it belongs to; absent: none. */
  namespace?: string;
}

/** What a called function returned. It stands in a message of the user, or behind its call where the service made that. */
export interface ToolResultPart {
  type: 'tool_result';
  /** The id of the call. */
  id: string;
  /** Text, mostly JSON. Images and files that the call returned stand behind it, with its id as `call_id`. */
  content: string;
  /** Absent: `function`. */
  tool_type?: 'custom';
  /** Whether it says that the call failed, or was not made; absent for calls that a caller made. */
  is_error?: boolean;
  /** How long the call took that the service made; absent: nobody knows, or it was not made. */
  duration_ms?: number;
}

/**
 * What was said before, in short, in a form that only the service reads: the summary goes through the hands of a client, or
 * stands in the database. Models are told the summary as text.
 */
export interface CompactionPart {
  type: 'compaction';
  encrypted_content: string;
}

/** Parts, whether their files have bytes or are stored. */
export type TextOfParts = readonly {
  type: (MessagePart | CompactionPart)['type'];
  text?: string;
  content?: string;
}[];

/**
 * The text of a message with these parts: its texts, and what called functions returned, each in a line of its own. It is
 * what people search and read in exports.
 */
export function contentOf(parts: TextOfParts): string {
  const texts = parts.map(({ type, text, content }) =>
    type === 'text' ? text : type === 'tool_result' ? content : '',
  );
  return texts.filter((text) => text !== undefined && text !== '').join('\n');
}

/** A function that a model may ask to have called. */
export interface ToolDefinition {
  name: string;
  description: string | null;
  /** JSON Schema of the arguments; null: the function takes none. */
  parameters: Record<string, unknown> | null;
  /** Whether the arguments must follow the schema exactly; null: the provider decides. */
  strict: boolean | null;
  /** What the caller calls it; absent: the same. */
  tool?: CalledTool;
}

/** Whether the model may, must or must not call functions; an object: which of them. */
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { name: string }
  | { mode: 'auto' | 'required'; allowed: string[] };

/** The form of the reply. */
export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema';
      name: string;
      description: string | null;
      schema: Record<string, unknown>;
      strict: boolean | null;
    };

/** What somebody can send to a model. */
export const INPUT_KINDS = ['text', 'image', 'file'] as const;

export type InputKind = (typeof INPUT_KINDS)[number];

/** What a request may need that not every provider has. */
export const MODEL_FEATURES = ['tools', 'images', 'files', 'response_format'] as const;

export type ModelFeature = (typeof MODEL_FEATURES)[number];
