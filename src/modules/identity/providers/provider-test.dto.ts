/** Result of one check. */
export class ProviderFindingDto {
  /** Whether the check passed. @example true */
  ok: boolean;

  /** Result as a sentence. @example "The provider’s document was read." */
  message: string;
}

/** Results of a provider test. */
export class IdentityProviderTestDto {
  /** The discovery document. */
  discovery: ProviderFindingDto;

  /** The public keys. */
  keys: ProviderFindingDto;

  /** Whether the clocks of the provider and the service agree. */
  clock: ProviderFindingDto;

  /** The claims of the last sign-in, and the mappings that matched. */
  last_claims: ProviderFindingDto;
}
