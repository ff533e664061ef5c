import { ApiProperty } from '@nestjs/swagger';

/** The managed settings of some users. */
export class ClaudePolicyDto {
  /** The groups whose members get the settings. Null: all users. @example [3] */
  @ApiProperty({ type: 'array', items: { type: 'integer' }, nullable: true, example: [3] })
  groups: number[] | null;

  /** The managed settings of Claude Code. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { permissions: { deny: ['WebFetch'] } } })
  settings: Record<string, unknown>;
}

/** The managed settings of Claude Code for all users. */
export class ClaudeSettingsDto {
  /** The policies. A user gets the first one that names one of their groups, or no groups. */
  policies: ClaudePolicyDto[];
}
