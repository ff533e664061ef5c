import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsString } from 'class-validator';
import { CharacterCount, NotBlank } from '../../../common/validation/fields';
import { normalForm } from '../../../common/validation/normal-form';

/** The name of an agent in a body. The field trims it and changes it to NFC. */
export const AgentNameField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalForm(value.trim()) : value)),
    IsString(),
    CharacterCount(1, 64),
    NotBlank(),
    ApiProperty({
      type: String,
      description: 'Unique among the agents; case does not count.',
      example: 'General Assistant',
    }),
  );
