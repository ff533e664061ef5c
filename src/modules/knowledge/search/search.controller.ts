import { Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body/body-rules.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import { SchemaBody } from '../../../common/validation/schemas/schema.pipe';
import { EmbeddingsUnavailableError } from '../embedding/embedding.errors';
import { KnowledgeExpiredError, KnowledgeNotFoundError, KnowledgeRoleRequiredError } from '../knowledge.errors';
import { KnowledgeSearch } from './knowledge-search';
import { KnowledgeResultsDto, toKnowledgeResultsDto } from './search.dto';
import { EmbeddingsNotConfiguredError, TooManySearchesError } from './search.errors';
import {
  queriesOf,
  searchAllRequest,
  type SearchAllRequestBody,
  searchRequest,
  type SearchRequestBody,
  toKnowledgeQuery,
} from './search-request';
import { SearchedStores } from './searched-stores';

const EXAMPLES = {
  question: { value: { query: 'How do I reset my password?', max_num_results: 5 } },
  filtered: {
    value: { query: ['reset password', 'forgot login'], filters: { type: 'eq', key: 'product', value: 'console' } },
  },
};

@ApiTags('Knowledge')
@Authenticated()
@Enveloped()
@BodyLimit(LARGE_BODY)
@Controller('knowledge')
export class SearchController {
  constructor(
    private readonly search: KnowledgeSearch,
    private readonly stores: SearchedStores,
  ) {}

  @Post('search')
  @HttpCode(HttpStatus.OK)
  @KeyScope('knowledge:read')
  @ApiOperation({
    operationId: 'knowledge.searchAll',
    summary: 'Search collections',
    description: 'Searches the named collections, or all that you can read. No hit is an empty list.',
  })
  @ApiSchemaBody('SearchAllKnowledge', searchAllRequest, EXAMPLES)
  @EnvelopedResponse(KnowledgeResultsDto)
  @ApiErrors(
    KnowledgeNotFoundError,
    KnowledgeExpiredError,
    EmbeddingsNotConfiguredError,
    EmbeddingsUnavailableError,
    TooManySearchesError,
  )
  async searchAll(
    @CurrentContext() { principal }: RequestContext,
    @SchemaBody(searchAllRequest, ValidationFailedError) body: SearchAllRequestBody,
  ): Promise<KnowledgeResultsDto> {
    const { store_ids: storeIds } = body;
    if (storeIds) {
      await this.stores.require(principal, storeIds);
    }
    const outcome = await this.search.search(principal, storeIds ?? null, toKnowledgeQuery(body));
    return toKnowledgeResultsDto(queriesOf(body), outcome);
  }

  @Post(':id/search')
  @HttpCode(HttpStatus.OK)
  @KeyScope('knowledge:read')
  @ApiOperation({
    operationId: 'knowledge.search',
    summary: 'Search a collection',
    description:
      'Finds passages by their words and, if there is an embedding model, by their meaning. Files that are not ' +
      'completed are not searched. No hit is an empty list.',
  })
  @ApiSchemaBody('SearchKnowledge', searchRequest, EXAMPLES)
  @EnvelopedResponse(KnowledgeResultsDto)
  @ApiErrors(
    KnowledgeNotFoundError,
    KnowledgeRoleRequiredError,
    KnowledgeExpiredError,
    EmbeddingsNotConfiguredError,
    EmbeddingsUnavailableError,
    TooManySearchesError,
  )
  async searchOne(
    @CurrentContext() { principal }: RequestContext,
    @SchemaBody(searchRequest, ValidationFailedError) body: SearchRequestBody,
    // Nest checks the last parameter first, and a malformed path is 400 whatever the body is.
    @Param('id', IdPipe) id: number,
  ): Promise<KnowledgeResultsDto> {
    await this.stores.requireOne(principal, id);
    const outcome = await this.search.search(principal, [id], toKnowledgeQuery(body));
    return toKnowledgeResultsDto(queriesOf(body), outcome);
  }
}
