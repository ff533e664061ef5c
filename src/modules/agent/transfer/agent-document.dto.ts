import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsString } from 'class-validator';
import { MaxLength, NoDuplicates, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { ObjectList } from '../../../common/validation/object-list';
import type { AgentCollection } from '../catalogue/agent-knowledge';
import type { AgentDefinition } from '../editing/agent-definition';
import { AgentNameField } from '../editing/agent-name-field';
import { AgentSettingsDto } from '../editing/agent-settings.dto';

/** An agent in a document, with its name, without ids and times. */
export class AgentDocumentEntryDto extends OmitType(AgentSettingsDto, ['knowledge']) {
  @AgentNameField()
  name: string;

  /**
   * The names of the groups for `access_level: groups`, because ids differ between installations. They take precedence
   * over `group_ids`.
   *
   * @example ["Sales"]
   */
  @OptionalField()
  @IsArray()
  @ArrayMaxSize(100)
  @NoDuplicates()
  @IsString({ each: true })
  @MaxLength(200, { each: true })
  groups?: string[];

  /** The names of the collections that it searches. Each must be the name of exactly one. @example ["Handbooks"] */
  @OptionalField()
  @IsArray()
  @ArrayMaxSize(20)
  @NoDuplicates()
  @IsString({ each: true })
  @MaxLength(256, { each: true })
  knowledge?: string[];
}

/** All agents of an installation, sorted by name. The same agents always result in the same text. */
export class AgentDocumentDto {
  /** Every agent of the installation, sorted by name. */
  agents: AgentDocumentEntryDto[];
}

/** A document to import, in the form of the export: its `data`, or the whole response. */
@ObjectExample({
  agents: [
    {
      name: 'Travel Guide',
      description: 'Plans days in cities you do not know.',
      category: 'travel',
      system_prompt: 'You are a well-travelled guide. Be brief.',
    },
  ],
})
export class ImportAgentsDto extends LanguageBodyDto {
  /**
   * Distinct agents; `mode` decides about absent fields. The body has at most 20,000 values, as usual: some 600 agents
   * in the form of the export, and up to 5,000 with fewer fields.
   */
  @ObjectList(() => AgentDocumentEntryDto, 5_000)
  agents: AgentDocumentEntryDto[];
}

const IMPORT_MODES = ['merge', 'sync'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

/** How an import treats agents and fields that the document omits. */
export class ImportAgentsQueryDto {
  /**
   * `merge` keeps what the document omits. `sync` makes the installation equal to the document: other agents are
   * deleted, and absent fields get their defaults.
   */
  @IsIn(IMPORT_MODES)
  @ApiPropertyOptional({ enum: IMPORT_MODES, default: 'merge' })
  mode: ImportMode = 'merge';
}

export const IMPORT_RESULTS = ['created', 'updated', 'unchanged', 'removed'] as const;
export type ImportResult = (typeof IMPORT_RESULTS)[number];

/** The result of an import for one agent. */
export class ImportedAgentDto {
  /** The agent's name. @example "Writing Assistant" */
  name: string;

  /** `removed` occurs only with `mode=sync`. @example "created" */
  @ApiProperty({ enum: IMPORT_RESULTS })
  result: ImportResult;
}

/** The result of an import. */
export class ImportReportDto {
  /** Agents that were added. @example 1 */
  created: number;

  /** Agents that were changed. @example 2 */
  updated: number;

  /** Agents that were already equal. @example 4 */
  unchanged: number;

  /** Agents that are not in the document and were removed; only with `mode=sync`. @example 0 */
  removed: number;

  /** The result for each agent. */
  agents: ImportedAgentDto[];
}

/** An agent for a document in a version control system: always the same fields in the same order. */
export function toDocumentEntry(
  definition: AgentDefinition,
  groupNames: ReadonlyMap<number, string>,
  collections: readonly AgentCollection[],
): AgentDocumentEntryDto {
  return {
    name: definition.name,
    description: definition.description,
    avatar: definition.avatar,
    category: definition.category,
    tags: definition.tags,
    opening_message: definition.openingMessage,
    suggested_questions: definition.suggestedQuestions,
    access_level: definition.accessLevel,
    group_ids: definition.groupIds ?? [],
    groups: (definition.groupIds ?? []).flatMap((id) => groupNames.get(id) ?? []).sort(),
    is_default: definition.isDefault,
    status: definition.status,
    sort_order: definition.sortOrder,
    system_prompt: definition.systemPrompt,
    provider: definition.provider,
    model: definition.model,
    model_params: Object.fromEntries(
      Object.entries(definition.modelParams).sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
    fallback_models: definition.fallbackModels,
    context_max_messages: definition.contextMaxMessages,
    context_max_tokens: definition.contextMaxTokens,
    timeout_seconds: definition.timeoutSeconds,
    tools: definition.tools ?? [],
    knowledge: collections.map(({ name }) => name).sort(),
    max_rounds: definition.maxRounds,
    max_calls: definition.maxCalls,
    max_cost_per_run: definition.maxCostPerRun,
    outside_reads: definition.outsideReads,
  };
}
