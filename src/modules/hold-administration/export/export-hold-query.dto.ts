import { IsIn, IsString } from 'class-validator';
import { CharacterCount, NotBlank, OptionalField } from '../../../common/validation/fields';
import { TimeParameter } from '../../../common/validation/times';

export const EXPORT_FORMATS = ['zip', 'jsonl'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What to export, and why. */
export class ExportHoldQueryDto {
  /** `zip` includes the files, `jsonl` does not. */
  @OptionalField()
  @IsIn(EXPORT_FORMATS)
  format: ExportFormat = 'zip';

  /** Written to the audit log before anything is sent. @example "Request of the court of 3 March." */
  @NotBlank()
  @CharacterCount(3, 500)
  @IsString()
  reason: string;

  @TimeParameter('Messages sent on or after this UTC day or instant.')
  from?: string;

  @TimeParameter('Messages sent on or before this UTC day or instant.')
  to?: string;
}
