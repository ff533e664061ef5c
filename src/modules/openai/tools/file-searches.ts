import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { type FileSearch, modelToolName } from '../../generation/generation.api';
import { KnowledgeExpiredError, KnowledgeNotFoundError, ReadableStores } from '../../knowledge/knowledge.api';
import { FILE_SEARCH } from '../../tool/tool.api';
import { readObjectId } from '../object-ids';
import type { FileSearchTool, ToolRequest } from '../responses/request/tool-schema';
import type { OfferedTool } from './offered-tools';

/** Reads the search of vector stores that a request defines. */
@Injectable()
export class FileSearches {
  constructor(private readonly stores: ReadableStores) {}

  /**
   * @param callers the tools that the client runs
   * @returns undefined if the request defines no search
   * @throws InvalidParameterError for a second search, and for a function of the same name; KnowledgeNotFoundError for a
   *   vector store that the user may not read; KnowledgeExpiredError
   */
  async of(
    userId: number,
    tools: readonly ToolRequest[],
    callers: readonly OfferedTool[],
  ): Promise<FileSearch | undefined> {
    const searches = tools.flatMap((tool, index) => ('vector_store_ids' in tool ? [{ tool, index }] : []));
    const [search, second] = searches;
    if (search === undefined) {
      return undefined;
    }
    if (second !== undefined) {
      throw new InvalidParameterError([{ field: `tools[${second.index}].type`, reason: 'duplicate' }]);
    }
    const double = callers.find(({ tool }) => modelToolName(tool) === FILE_SEARCH);
    if (double !== undefined) {
      throw new InvalidParameterError([{ field: `${double.field}.name`, reason: 'duplicate' }]);
    }
    const { filters, max_num_results, ranking_options } = search.tool;
    const storeIds = await this.readable(userId, search.tool, `tools[${search.index}]`);
    return { storeIds: [...new Set(storeIds)], options: { filters, max_num_results, ranking_options } };
  }

  private async readable(userId: number, { vector_store_ids }: FileSearchTool, field: string): Promise<number[]> {
    const ids = vector_store_ids.map((id) => readObjectId('store', id));
    const readable = await this.stores.idsOf(userId, ids, ids.length);
    const missing = ids.findIndex((id) => !readable.includes(id));
    if (missing >= 0) {
      throw new KnowledgeNotFoundError(`${field}.vector_store_ids[${missing}]`);
    }
    const living = new Set(await this.stores.livingAmong(ids));
    const expired = ids.findIndex((id) => !living.has(id));
    if (expired >= 0) {
      throw new KnowledgeExpiredError(`${field}.vector_store_ids[${expired}]`);
    }
    return ids;
  }
}
