import { STATUS_CODES } from 'node:http';
import type { CallToolResult, InputRequiredResult, Progress } from '@modelcontextprotocol/client';
import { Injectable } from '@nestjs/common';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { ToolError } from '../../../common/tools/tool.error';
import { Tracing } from '../../../common/tracing/tracing';
import {
  type CallContext,
  type CallTalk,
  InputNeededError,
  NotMadeError,
  type ToolAnswer,
  type ToolAnswers,
  type ToolQuestion,
} from '../../tool/tool.api';
import type { McpFault } from '../mcp.errors';
import { type ForeignAccess, McpExchange } from '../protocol/mcp-exchange';
import { AuthorityFailure, McpFailure, OwnFailure, refusingStatus, URL_NEEDED } from '../protocol/mcp-failure';
import type { McpToolDefinition } from '../protocol/tool-definition';
import type { McpServer } from '../servers/mcp-server.store';
import { readQuestion } from './question-reader';

const MOST_BYTES = 4 * 1_048_576;

/**
 * The most characters of text and structured data whose words are compared. More would block the process, and a model
 * receives less.
 */
const MOST_COMPARED = 65_536;

/** The maximum number of requests in one round that are declined without showing them to a person. */
const MOST_DECLINED = 3;

/** Fixed texts for the model. A server's own text only reaches it as a tool result. */
const REFUSED = 'The server refused the call, and did nothing.';
const NOT_REACHED =
  'The call was not made: the MCP server does not respond. Try again later, or answer without the tool.';
const NOT_ASKED = 'The service could not look up how it may speak with the server of the tool. The call was not made.';
const NO_TOKEN = 'The service could not get a token for the server of the tool. The call was not made.';
const NOT_ADMITTED = 'The server of the tool did not let its user in. The call was not made.';

const DECLINED: ToolAnswer = { action: 'decline' };

const UNADMITTED: readonly McpFault[] = ['unauthorized', 'authorization', 'identity_provider'];

/** The tool to call. */
interface CalledDefinition {
  /** The approved definition. */
  definition: McpToolDefinition;
  /** Whether a call without a response is repeated. */
  isRepeatable: boolean;
  /** The access to a server that no administrator has added; absent for other servers. */
  access?: ForeignAccess;
}

/** Calls tools of MCP servers. */
@Injectable()
export class McpCaller {
  constructor(
    private readonly exchange: McpExchange,
    private readonly tracing: Tracing,
  ) {}

  /**
   * @throws ToolError when the tool reports a failure
   * @throws NotMadeError when the server certainly did nothing
   * @throws InputNeededError when the server needs input first
   * @throws ConnectionNeededError when the user must connect first, or grant more scopes
   * @throws McpFailure, OwnFailure when it is unknown whether the call had an effect
   */
  async call(
    server: McpServer,
    { isRepeatable, ...called }: CalledDefinition,
    input: unknown,
    { talk, ...context }: CallContext,
  ): Promise<string> {
    let before = talk?.before ?? null;
    for (let declined = 0; declined < MOST_DECLINED; declined++) {
      try {
        const result = await this.once(server, called, input, { ...context, talk }, before);
        if (!isQuestion(result)) {
          return textOf(result);
        }
        before = answersTo(result, server, talk);
      } catch (error) {
        if (error instanceof OwnFailure) {
          throw error.isSent || isRepeatable || context.signal.aborted ? error : new NotMadeError(NOT_ASKED);
        }
        throw error instanceof McpFailure ? outcomeOf(error, server, context.signal.aborted) : error;
      }
    }
    throw new NotMadeError(REFUSED);
  }

  private once(
    server: McpServer,
    { definition: { outputSchema: _unchecked, ...toolDefinition }, access }: Omit<CalledDefinition, 'isRepeatable'>,
    input: unknown,
    { userId, idempotencyKey, signal, talk }: CallContext,
    before: ToolAnswers | null,
  ): Promise<CallToolResult | InputRequiredResult> {
    const params = {
      name: toolDefinition.name,
      arguments: input as Record<string, unknown>,
      _meta: { idempotencyKey },
      ...(before && { inputResponses: before.answers, ...(before.state !== null && { requestState: before.state }) }),
    };
    const limits = {
      timeout: server.timeout * SECOND_MILLISECONDS,
      mostBytes: MOST_BYTES,
      signal,
      userId,
      access,
      traced: { method: 'tools/call', tool: toolDefinition.name },
      answer: (asked: unknown, ended: AbortSignal) => answerNow(asked, server, talk, ended),
    };
    const wishes = {
      toolDefinition: toolDefinition as never,
      // Declines requests that the server's settings do not allow.
      allowInputRequired: true,
      ...(talk && {
        onprogress: ({ progress, total, message }: Progress) =>
          talk.progress({ progress, total: total ?? null, message: message ?? null }),
      }),
    };
    return this.exchange.run(server, limits, async (client, options) => {
      const span = this.tracing.active;
      const _meta = { ...params._meta, ...this.tracing.headersOf(span) };
      const result = await client.callTool({ ...params, _meta }, { ...options, ...wishes });
      if (result.isError === true) {
        span.fail('tool_error');
      }
      return result;
    });
  }
}

function isQuestion(result: CallToolResult | InputRequiredResult): result is InputRequiredResult {
  return (result as Partial<InputRequiredResult>).resultType === 'input_required';
}

function textOf(result: CallToolResult): string {
  const text = resultText(result);
  if (result.isError === true) {
    throw new ToolError(text);
  }
  return text;
}

/** In protocol versions before 2026-07-28, a server requests input during the call. */
async function answerNow(
  asked: unknown,
  server: McpServer,
  talk: CallTalk | undefined,
  ended: AbortSignal,
): Promise<ToolAnswer> {
  const question = readQuestion(asked, server);
  return question === null || talk === undefined ? DECLINED : talk.ask(question, ended);
}

/**
 * From that version on, the request ends the call, which is repeated with the answers.
 *
 * @throws InputNeededError when a person must answer
 */
function answersTo(
  { inputRequests, requestState }: InputRequiredResult,
  server: McpServer,
  talk: CallTalk | undefined,
): ToolAnswers {
  const questions: Record<string, ToolQuestion> = {};
  const answers: Record<string, ToolAnswer> = {};
  for (const [name, asked] of Object.entries<unknown>(inputRequests ?? {})) {
    const { method, params } = (asked ?? {}) as { method?: unknown; params?: unknown };
    const isForPeople = method === 'elicitation/create' && talk !== undefined;
    const question = isForPeople ? readQuestion(params, server) : null;
    if (question === null) {
      answers[name] = DECLINED;
    } else {
      questions[name] = question;
    }
  }
  if (Object.keys(questions).length > 0) {
    throw new InputNeededError(questions, answers, requestState ?? null);
  }
  return { state: requestState ?? null, answers };
}

/** Reports that the server certainly did nothing, unless the caller no longer wants the result. */
function outcomeOf(failure: McpFailure, server: McpServer, isUnwanted: boolean): Error {
  const status = failure.isSent ? null : refusingStatus(failure.cause);
  if (status !== null) {
    return new NotMadeError(`The server refused the call with HTTP ${status} (${STATUS_CODES[status] ?? 'no name'}).`);
  }
  if (failure.fault === 'refused') {
    return addressesIn(failure.cause, server) ?? new NotMadeError(REFUSED);
  }
  if (failure.isSent || isUnwanted) {
    return failure;
  }
  const isUnadmitted = UNADMITTED.includes(failure.fault);
  const isOfAuthority = failure instanceof AuthorityFailure;
  return new NotMadeError(isUnadmitted ? NOT_ADMITTED : isOfAuthority ? NO_TOKEN : NOT_REACHED, !isUnadmitted);
}

/** Some servers refuse a call until their user has visited a URL. */
function addressesIn(cause: unknown, server: McpServer): InputNeededError | null {
  const { code, elicitations } = cause as { code?: unknown; elicitations?: unknown };
  const asked = code === URL_NEEDED && Array.isArray(elicitations) ? elicitations.slice(0, 8) : [];
  const questions = asked.map((params) => readQuestion(params, server));
  return questions.length === 0 || questions.includes(null)
    ? null
    : new InputNeededError(Object.fromEntries(questions.entries()) as Record<string, ToolQuestion>, {}, undefined);
}

/**
 * Converts the result of an MCP tool to text for a model. The service fetches nothing that the result refers to:
 * images, audio and links are described, not shown. Unpaired surrogates, which UTF-8 cannot encode, are replaced.
 */
export function resultText({ content, structuredContent }: CallToolResult): string {
  const text = content.map(partText).join('\n');
  if (structuredContent === undefined) {
    return text.toWellFormed();
  }
  const data = JSON.stringify(structuredContent);
  if (text === '') {
    return data.toWellFormed();
  }
  const isMore = !isSameJson(data, text) && (data.length + text.length > MOST_COMPARED || saysMore(data, text));
  return (isMore ? `${text}\n${data}` : text).toWellFormed();
}

/**
 * Whether structured data has a word or number that the text lacks. The text should be the same data as JSON, but some
 * servers send only a summary as text, and others wrap a text in an object.
 */
function saysMore(data: string, text: string): boolean {
  const known = new Set(wordsOf(text));
  let isMore = false;
  JSON.parse(data, (_name, value: unknown) => {
    isMore ||= isPlain(value) && wordsOf(String(value)).some((word) => !known.has(word));
    return value;
  });
  return isMore;
}

function isSameJson(data: string, text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === data;
  } catch {
    return false;
  }
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function partText(part: CallToolResult['content'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type}: ${part.mimeType}]`;
    case 'resource_link':
      return `[link: ${part.name} ${part.uri}]`;
    case 'resource':
      return 'text' in part.resource ? part.resource.text : `[resource: ${part.resource.uri}]`;
    default:
      return '';
  }
}
