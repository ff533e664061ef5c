import { ApiProperty } from '@nestjs/swagger';
import {
  LOCAL_PROGRAMS,
  LOCAL_STATES,
  type LocalModels,
  type LocalProgram,
  type LocalState,
} from '../../../integrations/llm/providers/local-models';

/** Most models shown per program. */
const MOST_MODELS = 200;

/** Result of a search at the default port of a program that runs models. */
export class LocalModelsDto {
  @ApiProperty({
    enum: LOCAL_PROGRAMS,
    description: 'The program that usually listens on this port.',
    example: 'ollama',
  })
  program: LocalProgram;

  /** The address that was searched, as the `base_url` of a provider. @example "http://127.0.0.1:11434/v1" */
  base_url: string;

  @ApiProperty({
    enum: LOCAL_STATES,
    description:
      '`found`: the program lists models. `absent`: no such program answers. `not_allowed`: ' +
      '`PROVIDER_ALLOWED_HOSTS` excludes the address, so it was not called.',
    example: 'found',
  })
  state: LocalState;

  /**
   * The models that the program lists, sorted by name, at most 200. Empty unless it was found.
   * @example ["llama3.2:latest"]
   */
  models: string[];

  /** Name of the provider with this address. Null if there is none yet. @example null */
  @ApiProperty({ type: String, nullable: true, example: null })
  provider: string | null;
}

/** Programs with models on this machine. */
export class FoundModelsDto {
  /** One entry per program. */
  items: LocalModelsDto[];
}

/** @param provider name of the provider that already has this address */
export function toLocalModelsDto(found: LocalModels, provider: string | null): LocalModelsDto {
  const { program, baseUrl, state, models } = found;
  return { program, base_url: baseUrl, state, models: models.slice(0, MOST_MODELS), provider };
}
