import { Controller, HttpCode, HttpStatus, Param, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import * as v from 'valibot';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body/body-rules.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import { SchemaBody } from '../../../common/validation/schemas/schema.pipe';
import {
  EmbeddingsNotConfiguredError,
  EmbeddingsUnavailableError,
  KnowledgeExpiredError,
  KnowledgeNotFoundError,
  KnowledgeRoleRequiredError,
  KnowledgeSearch,
  queriesOf,
  SEARCH_MODES,
  SearchedStores,
  searchRequest,
  type SearchRequestBody,
  toKnowledgeQuery,
  TooManySearchesError,
} from '../../knowledge/knowledge.api';
import { bodyFaults, OpenAiErrors } from '../errors/openai-errors.decorator';
import { ObjectIdPipe } from '../object-ids';
import { OPENAI_PREFIX } from '../openai-prefix';
import { toSearchResultsDto, VectorStoreSearchResultsDto } from './search-results.dto';
import { STORE_ID, STORES } from './vector-store-paths';

/** `words`, `meaning` or `hybrid`. */
export const SEARCH_MODE = 'X-Search-Mode';

/** The same fields as in the native API, as a schema with its own name. */
const search = v.object(searchRequest.entries);

const EXAMPLES = {
  question: { value: { query: 'How do I reset my password?', max_num_results: 5 } },
  filtered: { value: { query: ['reset password'], filters: { type: 'eq', key: 'product', value: 'console' } } },
};

@ApiTags('OpenAI vector stores')
@Authenticated()
@KeyScope('openai')
@Controller(`${OPENAI_PREFIX}/vector_stores`)
export class VectorStoreSearchController {
  constructor(
    private readonly search: KnowledgeSearch,
    private readonly stores: SearchedStores,
  ) {}

  @Post(':vector_store_id/search')
  @HttpCode(HttpStatus.OK)
  @BodyLimit(LARGE_BODY)
  @ApiOperation({
    operationId: 'openai.searchVectorStore',
    summary: 'Search a vector store',
    description:
      'Finds passages by their words and, if there is an embedding model, by their meaning. Only completed files are ' +
      'searched.',
  })
  @ApiParam(STORE_ID)
  @ApiSchemaBody('OpenAiSearch', search, EXAMPLES)
  @ApiOkResponse({
    type: VectorStoreSearchResultsDto,
    headers: {
      [SEARCH_MODE]: {
        description: '`words`: keyword search; `meaning`: semantic search; `hybrid`: both.',
        schema: { type: 'string', enum: [...SEARCH_MODES] },
      },
    },
  })
  @OpenAiErrors(
    `${STORES}/{vector_store_id}/search`,
    ...bodyFaults('query'),
    EmbeddingsNotConfiguredError,
    KnowledgeExpiredError,
    KnowledgeRoleRequiredError,
    KnowledgeNotFoundError,
    TooManySearchesError,
    EmbeddingsUnavailableError,
  )
  async find(
    @CurrentContext() { principal }: RequestContext,
    @Param('vector_store_id', new ObjectIdPipe('store')) id: number,
    @SchemaBody(search) body: SearchRequestBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<VectorStoreSearchResultsDto> {
    await this.stores.requireOne(principal, id);
    const { mode, results } = await this.search.search(principal, [id], toKnowledgeQuery(body));
    response.setHeader(SEARCH_MODE, mode);
    return toSearchResultsDto(queriesOf(body), results);
  }
}
