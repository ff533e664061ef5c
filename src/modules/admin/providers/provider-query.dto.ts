import { IsBoolean, IsIn, IsString } from 'class-validator';
import { csvContent } from '../../../common/csv/csv';
import { PageOrFileQueryDto } from '../../../common/csv/csv-query.dto';
import { type Sort, SortParameter } from '../../../common/envelope/sort';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { SwitchParameter } from '../../../common/validation/parameters';
import { PROVIDER_KINDS, type ProviderKind } from '../../../integrations/llm/port/provider-definition';
import type { ProviderDto } from './provider.dto';

const SORT_FIELDS = [
  'name',
  'kind',
  'source',
  'base_url',
  'model',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof ProviderDto)[];

export type ProviderSortField = (typeof SORT_FIELDS)[number];

/** Filters for providers. */
export class ProviderQueryDto extends PageOrFileQueryDto {
  /** A part of the name, the address or the default model, case-insensitive. */
  @OptionalField()
  @IsString()
  @MaxLength(200)
  q?: string;

  /** Protocol of the provider. */
  @OptionalField()
  @IsIn(PROVIDER_KINDS)
  kind?: ProviderKind;

  /** Whether the provider may be called. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  is_active?: boolean;

  @OptionalField()
  @SortParameter(
    SORT_FIELDS,
    undefined,
    'A field name, with a minus in front for descending order. By default, providers from the environment ' +
      'come first, then the others by id.',
  )
  sort?: Sort<ProviderSortField>;
}

/** Columns of the CSV file of providers. */
export const PROVIDER_FIELDS = [
  'id',
  'name',
  'kind',
  'source',
  'base_url',
  'has_api_key',
  'api_key_last_four',
  'model',
  'context_tokens',
  'is_default',
  'is_active',
  'circuit',
  'reachable',
  'answered_at',
  'last_outcome',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof ProviderDto)[];

/** For the API document. */
export const PROVIDER_FILE = csvContent(PROVIDER_FIELDS);
