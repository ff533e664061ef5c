import { ApiProperty } from '@nestjs/swagger';
import type { Scopes } from '../../../common/security/scopes';
import { ApiKeyDto } from '../keys/api-key.dto';
import { KEY_SCOPES } from '../keys/key-scopes';
import { CreateApiKeyDto, UpdateApiKeyDto } from './api-key-body.dto';

/** Writes the scopes of the application's modules into the validation rules and the documentation of the DTOs. */
export function documentScopes({ all, administrative }: Scopes): void {
  KEY_SCOPES.all.splice(0, Infinity, ...all);
  KEY_SCOPES.limit[0] = all.length;
  const documentation = { enum: KEY_SCOPES.all, enumName: 'Scope', isArray: true };
  const description = `Only administrators can grant ${inWords(administrative)}.`;
  for (const { prototype } of [CreateApiKeyDto, UpdateApiKeyDto]) {
    ApiProperty({ ...documentation, enumSchema: { description }, maxItems: all.length })(prototype, 'scopes');
  }
  ApiProperty(documentation)(ApiKeyDto.prototype, 'scopes');
}

/** `agents:write`, `admin:read` and `admin:write` become "`agents:write` and `admin:…`". */
function inWords(scopes: readonly string[]): string {
  const areas = scopes.map((scope) => scope.split(':')[0] ?? scope);
  const shown = scopes.map((scope, index) =>
    areas.filter((area) => area === areas[index]).length > 1 ? `\`${areas[index]}:…\`` : `\`${scope}\``,
  );
  return new Intl.ListFormat('en').format(new Set(shown));
}
