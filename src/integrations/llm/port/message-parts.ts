/**
 * A part of a message. Names are those of the API: parts are stored and shown in this form, except that a stored image
 * or file refers to its bytes by hash (`StoredPart`).
 */
export type MessagePart = TextPart | ReasoningPart | BinaryPart | ToolCallPart | ToolResultPart;

export interface TextPart {
  type: 'text';
  text: string;
  /** The client's label for a message of the model: a comment, or the answer. It is not sent to models. */
  phase?: string;
  /**
   * The passages that the text uses, with the offset of each mark in the text. They are not sent to models. `filename`: in
   * a copy of a conversation, which has no passages.
   */
  citations?: readonly { number: number; index: number; filename?: string }[];
}

/** A model's reasoning. */
export interface ReasoningPart {
  type: 'reasoning';
  text: string;
}

/** An image or another file, with its bytes. */
export interface BinaryPart {
  type: 'image' | 'file';
  /** Media type, such as `image/png`. */
  media_type: string;
  /** The file's name; null if the sender specified none. */
  name: string | null;
  data: Uint8Array;
  /** Pages of a PDF; absent for other files, or if they could not be read. */
  pages?: number;
  /** How closely the model should look at an image; null: the model decides. */
  detail: ImageDetail | null;
  /** The call that returned it; absent: none. */
  call_id?: string;
  /** Whether models get the text of the file, which `data` is, under its name, and not a file. */
  as_text?: true;
  /** How a file of a message is used. Absent: an image, or a file of another source. */
  use?: 'whole';
}

/** A file that models search instead of getting it. A prompt describes it in words. */
export interface SearchedFile {
  type: 'searched_file';
  media_type: string;
  name: string;
  /** SHA-256 of the bytes, in lowercase hexadecimal. */
  hash: string;
  /** Size in bytes. */
  bytes: number;
  /** The uploaded file; null: the message that brings the file is not stored yet. */
  file_id: number | null;
  /** The bytes of a file that came with its message. Absent: they are stored. */
  data?: Uint8Array;
  /** What models read instead of the file. Absent: not known yet. */
  note?: string | undefined;
}

export type ImageDetail = 'auto' | 'low' | 'high';

/** The model's call of a function. The caller executes it, and sends a `ToolResultPart`. */
export interface ToolCallPart {
  type: 'tool_call';
  /** Identifies the call; its result has the same id. */
  id: string;
  name: string;
  /** JSON, exactly as the model wrote it; it may be malformed. */
  arguments: string;
  /** The caller's name for the tool; absent: a function with the name that the model uses. */
  tool?: CalledTool;
  /** The state of a call that the service makes itself; absent: the caller makes it. */
  state?: ToolCallState;
  /** Whether an approver replaced the arguments that the model wrote by `arguments`. */
  edited?: true;
  /** The server whose tool the service calls; absent: a module's tool, or the caller's. */
  server?: string;
}

/** The states of a tool call that the service makes itself. */
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

/** A tool that models know as a function of another name, or in another form. */
export interface CalledTool {
  /** `custom`: its only argument is a text, `input`. */
  type: 'function' | 'custom';
  name: string;
  /** The namespace of the tool; absent: none. */
  namespace?: string;
}

/**
 * The result of a called function. It is in a message of the user, or follows its call if the service made the call.
 */
export interface ToolResultPart {
  type: 'tool_result';
  /** The id of the call. */
  id: string;
  /** Text, usually JSON. Images and files that the call returned follow it, with its id as `call_id`. */
  content: string;
  /** Absent: `function`. */
  tool_type?: 'custom';
  /** Whether the call failed, or was not made; absent for calls that a caller made. */
  is_error?: boolean;
  /** Duration of a call that the service made; absent if unknown, or if the call was not made. */
  duration_ms?: number;
  /**
   * The passages of documents that a search found. They are stored without their texts, and `content` is empty then.
   * Absent: the result is text.
   */
  passages?: readonly Passage[];
}

/** A passage of a document that a reply was given. */
export interface Passage {
  /** Its number in the reply, from 1. */
  number: number;
  /** Its collection; null: the files of the conversation. */
  store_id: number | null;
  file_id: number;
  filename: string;
  media_type: string;
  /** The headings above it; null: none. */
  heading: string | null;
  /** From 1; null: the file has no pages. */
  page: number | null;
  /** Its place in the text of the file, in UTF-16 code units. */
  start: number;
  end: number;
  score: number;
  /** Absent: not read yet; null: deleted, or the user may no longer read it. */
  text?: string | null;
}

/**
 * A summary of earlier messages in a form that only the service reads, because clients or the database store it. Models
 * receive it as text.
 */
export interface CompactionPart {
  type: 'compaction';
  encrypted_content: string;
}

/** Parts with their bytes, or with references to stored files. */
export type TextOfParts = readonly {
  type: (MessagePart | CompactionPart | SearchedFile)['type'];
  text?: string;
  content?: string;
}[];

/**
 * The text of a message with these parts: its texts and the results of called functions, each on a separate line.
 * People search it and read it in exports.
 */
export function contentOf(parts: TextOfParts): string {
  const texts = parts.map(({ type, text, content }) =>
    type === 'text' ? text : type === 'tool_result' ? content : '',
  );
  return texts.filter((text) => text !== undefined && text !== '').join('\n');
}

/** A function that a model may call. */
export interface ToolDefinition {
  name: string;
  description: string | null;
  /** JSON Schema of the arguments; null: the function takes none. */
  parameters: Record<string, unknown> | null;
  /** Whether the arguments must follow the schema exactly; null: the provider decides. */
  strict: boolean | null;
  /** The caller's name for the tool; absent: the same. */
  tool?: CalledTool;
}

/** Whether the model may, must or must not call functions; an object: which functions. */
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

/** The kinds of content that users and clients can send to a model. */
export const INPUT_KINDS = ['text', 'image', 'file'] as const;

export type InputKind = (typeof INPUT_KINDS)[number];

/** Features of a request that not every provider supports. */
export const MODEL_FEATURES = ['tools', 'images', 'files', 'response_format'] as const;

export type ModelFeature = (typeof MODEL_FEATURES)[number];
