import { ApiProperty } from '@nestjs/swagger';
import {
  LOCAL_PROGRAMS,
  LOCAL_STATES,
  type LocalModels,
  type LocalProgram,
  type LocalState,
} from '../../../integrations/llm/providers/local-models';

/** Models of one program beyond this are left out: nobody reads more. */
const MOST_MODELS = 200;

/** What is at the usual port of a program that runs models. */
export class LocalModelsDto {
  @ApiProperty({
    enum: LOCAL_PROGRAMS,
    description: 'The program that usually listens on this port.',
    example: 'ollama',
  })
  program: LocalProgram;

  /** Where it was looked for, as the `base_url` of a provider. @example "http://127.0.0.1:11434/v1" */
  base_url: string;

  @ApiProperty({
    enum: LOCAL_STATES,
    description:
      '`found`: the program lists models. `absent`: no such program answers. `not_allowed`: ' +
      '`PROVIDER_ALLOWED_HOSTS` excludes the address, so it was not called.',
    example: 'found',
  })
  state: LocalState;

  /** The models that it lists, by name, at most 200; empty unless it was found. @example ["llama3.2:latest"] */
  models: string[];

  /** The provider with this address; null: there is none yet. @example null */
  @ApiProperty({ type: String, nullable: true, example: null })
  provider: string | null;
}

/** What was found on this machine. */
export class FoundModelsDto {
  /** One for each program. */
  items: LocalModelsDto[];
}

/** @param provider the name of the one that has this address already */
export function toLocalModelsDto(found: LocalModels, provider: string | null): LocalModelsDto {
  const { program, baseUrl, state, models } = found;
  return { program, base_url: baseUrl, state, models: models.slice(0, MOST_MODELS), provider };
}
