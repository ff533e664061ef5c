import { Injectable, StreamableFile } from '@nestjs/common';
import { csvList } from '../../../common/csv/csv';
import { onePage, Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import type { Principal } from '../../../common/security/principal';
import type { RequestContext } from '../../../common/security/request-context';
import { textMatcher } from '../../../common/text/text-pattern';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { ModelProviderError } from '../../../integrations/llm/port/llm.errors';
import { LocalModelSearch } from '../../../integrations/llm/providers/local-models';
import type { ManagedProviderEntity } from '../../../integrations/llm/providers/managed-provider.entity';
import { ManagedProviderStore } from '../../../integrations/llm/providers/managed-provider.store';
import { ProviderNotFoundError } from '../../../integrations/llm/providers/provider.errors';
import { ProviderDirectory } from '../../../integrations/llm/providers/provider-directory';
import { ProviderTargets } from '../../../integrations/llm/providers/provider-targets';
import { explained, maySeeContent, ModelTrialService } from '../models/model-trial.service';
import { toModelTestResultDto } from '../models/models.dto';
import { type FoundModelsDto, toLocalModelsDto } from './local-models.dto';
import { type ListedModelDto, ProviderDto, toProviderDto } from './provider.dto';
import { PROVIDER_FIELDS, type ProviderQueryDto } from './provider-query.dto';
import type { ProviderReference } from './provider-reference.pipe';
import { ProviderTestDto, ProviderTestResultDto } from './provider-test.dto';

/** Lists and tries the model providers, for administrators. */
@Injectable()
export class ProvidersService {
  constructor(
    private readonly store: ManagedProviderStore,
    private readonly directory: ProviderDirectory,
    private readonly models: LanguageModels,
    private readonly trials: ModelTrialService,
    private readonly local: LocalModelSearch,
    private readonly targets: ProviderTargets,
  ) {}

  /**
   * One page, or all matching providers as a file. It filters in memory, because there are few providers and their
   * states are not in the database.
   */
  async find(query: ProviderQueryDto, caller: Principal): Promise<Page<ProviderDto> | StreamableFile> {
    const found = (await this.all(caller)).filter(matching(query)).sort(comparison(query.sort));
    if (query.format === 'csv') {
      return csvList('providers', PROVIDER_FIELDS, (last?: ProviderDto) => Promise.resolve(last ? [] : found));
    }
    const { offset, limit } = partOf(query);
    return toPage(found.slice(offset, offset + limit), found.length, query);
  }

  /** @throws ProviderNotFoundError */
  async get(reference: ProviderReference, caller: Principal): Promise<ProviderDto> {
    if (typeof reference === 'number') {
      return this.describe(await this.store.get(reference), caller);
    }
    const found = (await this.all(caller)).find(({ name }) => name === reference);
    return found ?? Promise.reject(new ProviderNotFoundError());
  }

  describe(row: ManagedProviderEntity, caller: Principal): ProviderDto {
    const definition = { ...this.store.toDefinition(row), isDefault: row.isDefault };
    return toProviderDto(definition, row, this.stateOf(row.name), maySeeContent(caller));
  }

  /**
   * Sends one request to the provider, as a chat does. A failure is a result, too, with all its details.
   *
   * @throws ProviderNotFoundError
   * @throws ValidationFailedError for a missing model
   */
  async test(
    reference: ProviderReference,
    body: ProviderTestDto,
    { principal, language }: RequestContext,
  ): Promise<ProviderTestResultDto> {
    const { name: provider } = await this.current(reference, principal);
    const { host } = this.models.lookUp({ provider });
    const trial = { provider, model: body.model, content: body.content };
    const startedAt = performance.now();
    try {
      const result = toModelTestResultDto(await this.trials.run(trial, language, principal));
      return {
        ok: true,
        host,
        status: host === null ? null : 200,
        code: null,
        reason: null,
        message: null,
        ...result,
        content: maySeeContent(principal) ? result.content : null,
      };
    } catch (error) {
      if (!(error instanceof ModelProviderError)) {
        throw error;
      }
      return {
        ok: false,
        ...this.trials.explain(error, trial, principal),
        code: error.code,
        ...NO_ANSWER,
        duration_ms: Math.round(performance.now() - startedAt),
      };
    }
  }

  /** @throws ProviderNotFoundError, ProviderError, ProviderUnavailableError, ProviderTimeoutError */
  async listModels(reference: ProviderReference, caller: Principal): Promise<Page<ListedModelDto>> {
    const { name: provider, base_url } = await this.current(reference, caller);
    try {
      const ids = await this.models.listModels(provider);
      // Any server of the internal network may answer in this format.
      if (!maySeeContent(caller) && base_url !== null && !(await this.targets.isPublic(new URL(base_url)))) {
        return onePage([]);
      }
      return onePage([...new Set(ids)].sort().map((id) => ({ id })));
    } catch (error) {
      throw error instanceof ModelProviderError
        ? explained(error, this.trials.explain(error, { provider }, caller))
        : error;
    }
  }

  /** Programs with models on this machine, with the provider that already has the address. */
  async discover(caller: Principal): Promise<FoundModelsDto> {
    const [found, known] = await Promise.all([this.local.search(), this.all(caller)]);
    const providerAt = (port: string): string | null =>
      known.find(({ base_url }) => base_url !== null && isLocal(base_url, port))?.name ?? null;
    return { items: found.map((one) => toLocalModelsDto(one, providerAt(new URL(one.baseUrl).port))) };
  }

  /** The provider's current state in the database, which this instance may not have loaded yet. */
  private async current(reference: ProviderReference, caller: Principal): Promise<ProviderDto> {
    await this.directory.reload();
    return this.get(reference, caller);
  }

  /** The providers outside the database first, then the managed ones by id. */
  private async all(caller: Principal): Promise<ProviderDto[]> {
    const rows = await this.store.all();
    const hasDefault = rows.some(({ isDefault }) => isDefault);
    return [...this.environments(!hasDefault, caller), ...rows.map((row) => this.describe(row, caller))];
  }

  private environments(areDefault: boolean, caller: Principal): ProviderDto[] {
    return this.directory
      .environment(areDefault)
      .map((definition) => toProviderDto(definition, null, this.stateOf(definition.name), maySeeContent(caller)));
  }

  private stateOf(name: string): ReturnType<LanguageModels['describe']>[number] | undefined {
    return this.models.describe().find(({ provider }) => provider === name);
  }
}

/** Whether an address leads to this port of this machine, under any of its names. */
function isLocal(address: string, port: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url?.port === port && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
}

function matching({ q, kind, is_active }: ProviderQueryDto): (provider: ProviderDto) => boolean {
  const hasText = textMatcher(q ?? '');
  return (provider) =>
    hasText(`${provider.name}\n${provider.base_url ?? ''}\n${provider.model ?? ''}`) &&
    (kind === undefined || provider.kind === kind) &&
    (is_active === undefined || provider.is_active === is_active);
}

/** Equal elements keep their order. */
function comparison(sort: ProviderQueryDto['sort']): (one: ProviderDto, other: ProviderDto) => number {
  if (sort === undefined) {
    return () => 0;
  }
  const { by, direction } = orderOf(sort);
  const sign = direction === 'ASC' ? 1 : -1;
  return (one, other) => sign * (one[by] ?? '').localeCompare(other[by] ?? '', 'en');
}

const NO_ANSWER = {
  content: null,
  finish_reason: null,
  prompt_tokens: null,
  completion_tokens: null,
  first_token_ms: null,
};
