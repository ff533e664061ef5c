import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/security/request-context';
import type { Cursor } from '../../../database/statements/list-rows';
import {
  BatchesService,
  EntriesService,
  type EntryFilter,
  type EntryWithFile,
  UploadedFileNotFoundError,
} from '../../knowledge/knowledge.api';
import { readCursorPage, toCursorPage } from '../cursor-page';
import { readObjectId } from '../object-ids';
import { toVectorStoreFileDto, type VectorStoreFileListDto, type VectorStoreFileListQueryDto } from './entry.dto';

/** Reads a part of the entries of a list. */
type ReadEntries = (
  filter: EntryFilter,
  direction: 'ASC' | 'DESC',
  part: Cursor & { limit: number },
) => Promise<{ items: EntryWithFile[] }>;

/** Lists of files in vector stores. Their cursors are ids of files. */
@Injectable()
export class VectorStoreFileLists {
  constructor(
    private readonly entries: EntriesService,
    private readonly batches: BatchesService,
  ) {}

  /** @throws KnowledgeNotFoundError, InvalidParameterError */
  ofStore(
    context: RequestContext,
    storeId: number,
    query: VectorStoreFileListQueryDto,
  ): Promise<VectorStoreFileListDto> {
    return this.page(context, storeId, query, (filter, direction, part) =>
      this.entries.adjacentPage(context.principal, storeId, filter, direction, part),
    );
  }

  /** @throws KnowledgeNotFoundError, BatchNotFoundError, InvalidParameterError */
  ofBatch(
    context: RequestContext,
    storeId: number,
    batchId: number,
    query: VectorStoreFileListQueryDto,
  ): Promise<VectorStoreFileListDto> {
    return this.page(context, storeId, query, (filter, direction, part) =>
      this.batches.entriesOf(context.principal, storeId, batchId, filter, direction, part),
    );
  }

  private async page(
    { principal, language }: RequestContext,
    storeId: number,
    { filter: status, ...query }: VectorStoreFileListQueryDto,
    read: ReadEntries,
  ): Promise<VectorStoreFileListDto> {
    const { rows, hasMore } = await readCursorPage<EntryWithFile>(query, {
      idOf: ({ entry }) => entry.id,
      find: async (cursor) => {
        try {
          const { entry } = await this.entries.get(principal, storeId, readObjectId('file', cursor));
          // Its status may have changed since the client read it.
          const { items } = await read({}, 'ASC', { after: entry.id - 1, limit: 1 });
          return items[0]?.entry.id === entry.id ? entry.id : null;
        } catch (error) {
          if (error instanceof UploadedFileNotFoundError) {
            return null;
          }
          throw error;
        }
      },
      read: (direction, part) => read(status === undefined ? {} : { status }, direction, part),
    });
    return toCursorPage(
      rows.map((row) => toVectorStoreFileDto(row, language)),
      hasMore,
    );
  }
}
