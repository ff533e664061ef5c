import { ArgumentMetadata, Injectable, PipeTransform } from '@nestjs/common';
import { IdPipe } from '../../../common/validation/id.pipe';
import { DEMO_PROVIDER, ENVIRONMENT_PROVIDER } from '../../../integrations/llm/port/provider-definition';

/** A provider in a path: its id, or its name if it is not in the database and has no id. */
export type ProviderReference = number | typeof ENVIRONMENT_PROVIDER | typeof DEMO_PROVIDER;

/** Parses a `ProviderReference` from the path. Any other value is rejected with 400. */
@Injectable()
export class ProviderReferencePipe implements PipeTransform<string, ProviderReference> {
  private readonly ids = new IdPipe();

  transform(value: string, metadata: ArgumentMetadata): ProviderReference {
    return value === ENVIRONMENT_PROVIDER || value === DEMO_PROVIDER ? value : this.ids.transform(value, metadata);
  }
}
