import { SetMetadata } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A schema of valibot or zod 4, in the form of Standard Schema (standardschema.dev). */
export interface ToolSchema<Input = unknown> {
  readonly '~standard': {
    readonly vendor: string;
    readonly validate: (value: unknown) => ToolSchemaResult<Input> | Promise<ToolSchemaResult<Input>>;
    readonly types?: { readonly input: unknown; readonly output: Input } | undefined;
    /** Set by zod. */
    readonly jsonSchema?: { readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown> };
  };
}

interface ToolSchemaResult<Input> {
  readonly value?: Input;
  readonly issues?: readonly {
    readonly message: string;
    readonly path?: readonly (PropertyKey | { readonly key: unknown })[] | undefined;
  }[];
}

/** The caller of a tool, and the call. */
export interface ToolContext {
  userId: number;
  /** Null if an administrator tries the tool. */
  chatId: number | null;
  /** The reply; null if an administrator tries the tool. */
  messageId: number | null;
  callId: string;
  /** The same for all attempts of one call. An idempotent tool acts only once for each key. */
  idempotencyKey: string;
  /**
   * Runs `work` in the transaction that stores the result of the call, so that both are committed or neither is. `work`
   * may run again, and a `ToolError` that it throws becomes the result. What it returns is the result, unless the method
   * itself returns one. Not for read-only tools.
   */
  withResult: (work: (manager: EntityManager) => Promise<unknown>) => void;
  /** Aborted when the time limit has passed, or the result is no longer needed. */
  signal: AbortSignal;
}

export interface ToolOptions<Input> {
  /** The name for models: letters, digits, `_` and `-`, up to 64 characters, unique among the tools. */
  name: string;
  /** What the tool does, when to use it, and what it returns. Models read it. */
  description: string;
  /** An object. The schema parses the model's arguments once. */
  input: ToolSchema<Input>;
  /** The tool changes nothing. Default: false. */
  readOnly?: boolean;
  /** Repeating a call with the same `idempotencyKey` has no further effect. Default: false. */
  idempotent?: boolean;
  /** The tool may destroy something. Default: true unless it is read-only. */
  destructive?: boolean;
  /** Returns untrusted content, whose instructions a model must not follow. Default: false. */
  outside?: boolean;
  /** Time limit of a call in seconds, up to 600. Default: 60. */
  timeoutSeconds?: number;
}

export const TOOL_METADATA = 'agent-tool';

type ToolMethod<Input> = (input: Input, context: ToolContext) => unknown;

/**
 * Makes a method of a provider a tool of agents. The method returns text, or a value that JSON can represent. It throws
 * `ToolError` if it fails and has done nothing.
 *
 * @example
 * @AgentTool({ name: 'find_bookmarks', description: '…', input: v.object({ text: v.string() }), readOnly: true })
 * async find({ text }: { text: string }, { userId }: ToolContext): Promise<object[]> { … }
 */
export const AgentTool =
  <Input>(options: ToolOptions<Input>) =>
  <Method extends ToolMethod<Input>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    SetMetadata(TOOL_METADATA, options)(target, key, descriptor as PropertyDescriptor);
  };
