import { IsIn } from 'class-validator';
import { PageQueryDto } from '../envelope/page.dto';

export const LIST_FORMATS = ['json', 'csv'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

/** One page of a list, or the whole list as a file. */
export class PageOrFileQueryDto extends PageQueryDto {
  /**
   * `csv` returns all rows as a file (UTF-8 with byte order mark, CR LF) whose columns are the fields; `page` and
   * `size` are then ignored.
   */
  @IsIn(LIST_FORMATS)
  format: ListFormat = 'json';
}
