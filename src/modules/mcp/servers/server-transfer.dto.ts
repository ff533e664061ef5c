import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { ObjectList } from '../../../common/validation/object-list';
import { CreateMcpServerDto } from './server-fields.dto';

const MOST_SERVERS = 200;

/** An export file of MCP servers, without secrets and headers. */
@ObjectExample({ servers: [] })
export class McpServersFileDto extends LanguageBodyDto {
  /** Up to 200 servers. */
  @ObjectList(() => CreateMcpServerDto, MOST_SERVERS)
  servers: CreateMcpServerDto[];
}

/** The result of an import. */
export class ImportedServersDto {
  /** Servers that were added. @example 2 */
  created: number;

  /** Servers that were changed. @example 0 */
  updated: number;

  /** Labels of added servers that are inactive because their secret is missing. @example [] */
  without_secret: string[];
}
