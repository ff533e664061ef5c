import { plainToInstance, Type } from 'class-transformer';
import { IsArray, IsDateString, IsIn, IsInt, IsObject, IsString, ValidateNested, validateSync } from 'class-validator';
import type { BackupManifest } from './backup-manifest';

class DatabaseRules {
  @IsIn(['sqlite', 'mysql'])
  kind: unknown;

  @IsInt()
  bytes: unknown;

  @IsString()
  sha256: unknown;
}

class BlobRules {
  @IsIn(['folder', 'database', 's3'])
  store: unknown;

  @IsArray()
  missing: unknown;
}

/** What the check of a backup relies on. */
class ManifestRules {
  @IsDateString()
  created_at: unknown;

  @IsObject()
  @ValidateNested()
  @Type(() => DatabaseRules)
  database: unknown;

  @IsObject()
  @ValidateNested()
  @Type(() => BlobRules)
  blobs: unknown;
}

/** Whether JSON has the form of a manifest of this version. */
export function isManifest(json: object): json is BackupManifest {
  return validateSync(plainToInstance(ManifestRules, json)).length === 0;
}
