import { SetMetadata } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A schema of valibot or zod 4, as both make them (standardschema.dev). */
export interface ToolSchema<Input = unknown> {
  readonly '~standard': {
    readonly vendor: string;
    readonly validate: (value: unknown) => ToolSchemaResult<Input> | Promise<ToolSchemaResult<Input>>;
    readonly types?: { readonly input: unknown; readonly output: Input } | undefined;
    /** Of zod. */
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

/** For whom, and as what, a tool is called. */
export interface ToolContext {
  userId: number;
  /** Null when an administrator tries the tool. */
  chatId: number | null;
  /** The reply; null when an administrator tries the tool. */
  messageId: number | null;
  callId: string;
  /** The same for each attempt of one call: an idempotent tool does the same thing once for each. */
  idempotencyKey: string;
  /**
   * Has `work` done in the transaction that stores the result of the call: both are there afterwards, or neither. It may run again,
   * and a `ToolError` in it is the result. What it returns is the result, unless the method itself returns one. Not for
   * read-only tools.
   */
  withResult: (work: (manager: EntityManager) => Promise<unknown>) => void;
  /** Aborts when the time is over, or nobody wants the result any more. */
  signal: AbortSignal;
}

/** What a tool is. */
export interface ToolOptions<Input> {
  /** What models call it: letters, digits, `_` and `-`, up to 64, and no other tool has it. */
  name: string;
  /** What it does, when to use it, and what it answers; models read it. */
  description: string;
  /** An object. What the model sends is read by it once. */
  input: ToolSchema<Input>;
  /** Changes nothing. Default: false. */
  readOnly?: boolean;
  /** May be called again with the same `idempotencyKey`, and then does nothing more. Default: false. */
  idempotent?: boolean;
  /** May destroy something. Default: unless it is read-only. */
  destructive?: boolean;
  /** Brings text from outside of the house, which a model must not obey. Default: false. */
  outside?: boolean;
  /** Seconds that a call may take, up to 600. Default: 60. */
  timeoutSeconds?: number;
}

export const TOOL_METADATA = 'agent-tool';

type ToolMethod<Input> = (input: Input, context: ToolContext) => unknown;

/**
 * Makes a method of a provider a tool of agents. It returns text, or what JSON can say. It throws `ToolError` when it fails
 * and has done nothing.
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
