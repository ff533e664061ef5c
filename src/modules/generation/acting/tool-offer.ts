import { Injectable } from '@nestjs/common';
import { INVISIBLE } from '../../../common/text/invisible';
import type { ToolDefinition } from '../../../integrations/llm/port/message-parts';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import type { Agent, ToolPolicy } from '../../agent/agent.api';
import {
  FILE_SEARCH,
  type RegisteredTool,
  type RemoteAccess,
  SEARCH_KNOWLEDGE,
  ToolRegistry,
} from '../../tool/tool.api';
import { type FileSearch, type GenerationOptions, type GenerationTask, NO_OPTIONS } from '../reply/generation-task';
import { NOT_TIGHTENED, type PolicyOverrides } from '../reply/policy-overrides';
import { ReplyKnowledge } from '../reply/reply-knowledge';
import { ActingConfig } from './acting.config';
import { type AppliedPolicy, policyOf, tightened } from './tool-policy';

/** How a request changes the tools of its agent. */
interface OfferOptions {
  tightening?: PolicyOverrides | undefined;
  asked?: GenerationOptions | null;
  isAlone?: boolean;
  /** Whether the client sends earlier replies itself. They may contain untrusted content. */
  hasClientReplies?: boolean;
  /** MCP servers that the request names itself. */
  remote?: RemoteAccess | undefined;
  /** Whether the model's calls of the agent's tools are not made if it also calls the client's. */
  endsAtClientCall?: boolean | undefined;
  /** The collections of the conversation. Absent: none. */
  knowledge?: readonly number[] | undefined;
  /** The conversation whose files are searched. Absent: it has none. */
  filesOf?: number | undefined;
  /** The search that the request defines. Absent: none. */
  fileSearch?: FileSearch | undefined;
}

/** A collection that a reply may search. */
interface Collection {
  id: number;
  name: string;
}

/** A tool and its policy. */
interface Offered {
  tool: RegisteredTool;
  policy: ToolPolicy;
}

/** Selects the tools that an agent's model is offered. */
@Injectable()
export class ToolOffer {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly inputs: ModelInputs,
    private readonly config: ActingConfig,
    private readonly knowledge: ReplyKnowledge,
  ) {}

  /**
   * What a reply of the agent needs to call tools. Null: the agent has no tools, or none of its models supports them, and
   * it has no documents that the user may read.
   *
   * @param userId the user who sends the request
   * @param wish how the request tightens policies, its options with the client's own functions, and whether approval is
   *   impossible (`isAlone`): tools that need approval are then not offered
   */
  async of(
    agent: Agent,
    userId: number,
    wish: OfferOptions,
  ): Promise<Required<Pick<GenerationTask, 'acting' | 'options'>> | null> {
    const { tightening = NOT_TIGHTENED, asked = null, isAlone = false, hasClientReplies = false, remote } = wish;
    const callers = (asked?.tools ?? []).map(({ name }) => name);
    const collections = await this.collectionsOf(agent, userId, wish.knowledge);
    const hasDocuments = collections.length > 0 || wish.filesOf !== undefined;
    const offered = [
      ...(await this.offered(agent, userId, tightening, remote, hasDocuments)),
      ...(wish.fileSearch && !this.isWithoutTools(agent) ? await this.fileSearches(tightening) : []),
    ];
    const isTainted = hasClientReplies && this.readsOutside(offered);
    const withheld = isAlone ? this.needingApproval(agent, offered, isTainted) : [];
    const tools = offered
      .filter(({ tool }) => !callers.includes(tool.name) && !withheld.includes(tool.name))
      .map(({ tool }): ToolDefinition => {
        const { name, inputSchema: parameters } = tool;
        return { name, description: describe(tool, collections, wish), parameters, strict: null };
      });
    const isContext =
      this.isWithoutTools(agent) &&
      (wish.fileSearch !== undefined || (hasDocuments && (await this.searchesAtOnce(agent, tightening))));
    if (tools.length === 0 && !isContext) {
      return null;
    }
    const storeIds = collections.map(({ id }) => id);
    const { fileSearch, filesOf: chatId } = wish;
    const searched = {
      ...{ storeIds, ...(chatId !== undefined && { chatId }) },
      ...{ ...(fileSearch && { fileSearch }), ...(isContext && { isContext }) },
    };
    const knowledge = (hasDocuments || fileSearch !== undefined) && { knowledge: searched };
    const options: GenerationOptions = { ...(asked ?? NO_OPTIONS), tools: [...(asked?.tools ?? []), ...tools] };
    if (isContext && options.tools.length === 0) {
      // The search that a request may demand is made before the model is called.
      delete options.toolChoice;
    }
    const state = {
      ...(isAlone && { isAlone }),
      ...(isTainted && { isTainted }),
      ...(remote && { remote }),
      ...knowledge,
      ...(wish.endsAtClientCall === true && { endsAtClientCall: true as const }),
    };
    return { acting: { ...tightening, callers, ...state }, options };
  }

  /** The names of the tools that a request is not offered because approval is impossible there. */
  async withheld(
    agent: Agent,
    userId: number,
    { tightening = NOT_TIGHTENED, hasClientReplies = false, remote }: Omit<OfferOptions, 'asked' | 'isAlone'>,
  ): Promise<string[]> {
    const offered = await this.offered(agent, userId, tightening, remote);
    return this.needingApproval(agent, offered, hasClientReplies && this.readsOutside(offered));
  }

  private readsOutside(offered: readonly Offered[]): boolean {
    return this.config.TAINT_RULE && offered.some(({ tool }) => tool.outside);
  }

  private needingApproval({ outsideReads }: Agent, offered: readonly Offered[], isTainted: boolean): string[] {
    const known = outsideReads === 'auto' ? null : new Set<string>();
    return offered.flatMap(({ tool, policy }) => {
      const applied: AppliedPolicy = { policy, approver: 'user' };
      return (isTainted ? tightened(applied, tool, known) : applied).policy === 'ask' ? [tool.name] : [];
    });
  }

  /**
   * The tools of the agent that are not denied, with their policies. Empty if none of its models supports tools.
   *
   * @param remote the MCP servers that the request names, with their tools
   * @param hasDocuments whether there are documents to search. Absent: the agent's collections decide
   */
  async offered(
    agent: Agent,
    userId: number,
    tightening: PolicyOverrides,
    remote?: RemoteAccess,
    hasDocuments?: boolean,
  ): Promise<Offered[]> {
    const tools = agent.tools ?? [];
    const brought = (remote?.servers ?? []).flatMap((server) => server.tools);
    const searches = hasDocuments ?? (await this.collectionsOf(agent, userId)).length > 0;
    const search = searches ? [{ name: SEARCH_KNOWLEDGE }] : [];
    const all = [...tools.filter(({ name }) => name !== SEARCH_KNOWLEDGE), ...search, ...brought];
    if (all.length === 0 || this.isWithoutTools(agent)) {
      return [];
    }
    const found = await Promise.all(all.map(({ name }) => this.registry.find(name, userId, remote)));
    return found.flatMap((tool) => {
      const { policy } = tool === undefined ? { policy: 'deny' as const } : policyOf(tools, tool, tightening);
      return tool === undefined || policy === 'deny' ? [] : [{ tool, policy }];
    });
  }

  /** The collections of the agent and of the conversation that the user may search. */
  private collectionsOf({ knowledge }: Agent, userId: number, others: readonly number[] = []): Promise<Collection[]> {
    return this.knowledge.searchable(userId, [...new Set([...(knowledge ?? []), ...others])]);
  }

  private isWithoutTools(agent: Agent): boolean {
    return this.inputs.missing(agent).has('tools');
  }

  private async fileSearches(tightening: PolicyOverrides): Promise<Offered[]> {
    const tool = await this.registry.find(FILE_SEARCH, null);
    return tool === undefined ? [] : [{ tool, policy: policyOf(null, tool, tightening).policy }];
  }

  private async searchesAtOnce({ tools }: Agent, tightening: PolicyOverrides): Promise<boolean> {
    const tool = await this.registry.find(SEARCH_KNOWLEDGE, null);
    return tool !== undefined && policyOf(tools, tool, tightening).policy === 'auto';
  }
}

/** The description of a tool. The search of documents lists the collections, whose names are data. */
function describe(
  { name, description }: RegisteredTool,
  collections: readonly Collection[],
  { filesOf }: OfferOptions,
): string {
  if (name !== SEARCH_KNOWLEDGE) {
    return description;
  }
  const listed = collections.map((one) => `${one.id}: ${JSON.stringify(one.name.replace(INVISIBLE, ''))}`);
  const files = filesOf === undefined ? '' : ' It also searches the files of this conversation.';
  return `${description}${listed.length > 0 ? ` Collections: ${listed.join(', ')}.` : ''}${files}`;
}
