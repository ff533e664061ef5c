/** One thing that was tried. */
export class ProviderFindingDto {
  /** Whether nothing is wrong. @example true */
  ok: boolean;

  /** What was found, as a sentence. @example "The provider’s document was read." */
  message: string;
}

/** What a trial of a provider found. */
export class IdentityProviderTestDto {
  /** Its document. */
  discovery: ProviderFindingDto;

  /** Its public keys. */
  keys: ProviderFindingDto;

  /** Whether its clock and that of the service agree. */
  clock: ProviderFindingDto;

  /** What the last sign-in brought, and what it was mapped to. */
  last_claims: ProviderFindingDto;
}
