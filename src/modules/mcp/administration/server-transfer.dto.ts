import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { ObjectList } from '../../../common/validation/object-list';
import { CreateMcpServerDto } from './server-fields.dto';

const MOST_SERVERS = 200;

/** Servers of tools, as a file. An export has no secrets and no headers. */
@ObjectExample({ servers: [] })
export class McpServersFileDto extends LanguageBodyDto {
  /** Up to 200. */
  @ObjectList(() => CreateMcpServerDto, MOST_SERVERS)
  servers: CreateMcpServerDto[];
}

/** What an import did. */
export class ImportedServersDto {
  /** Servers that were added. @example 2 */
  created: number;

  /** Servers that were changed. @example 0 */
  updated: number;

  /** Labels of added servers that are switched off because they lack their secret. @example [] */
  without_secret: string[];
}
