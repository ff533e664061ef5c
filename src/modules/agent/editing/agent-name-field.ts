import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsString } from 'class-validator';
import { visibleName } from '../../../common/text/invisible';
import { CharacterCount, NotBlank } from '../../../common/validation/fields';
import { normalForm } from '../../../common/validation/normal-form';

/** The name of an agent in a body. The field trims it, changes it to NFC, and removes invisible characters. */
export const AgentNameField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalForm(visibleName(value)) : value)),
    IsString(),
    CharacterCount(1, 64),
    NotBlank(),
    ApiProperty({
      type: String,
      description: 'Unique among agents, not case-sensitive.',
      example: 'General Assistant',
    }),
  );
