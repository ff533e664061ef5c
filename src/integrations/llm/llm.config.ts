import { applyDecorators } from '@nestjs/common';
import { IsIn, IsPositive, IsString, Matches, Max, ValidateIf } from 'class-validator';
import { AllowedHosts } from '../../common/network/allowed-hosts';
import { HostList } from '../../common/network/host-list.decorator';
import { MaxLength } from '../../common/validation/fields';
import { Address } from '../../config/address';
import { NumberFrom, Rule, Switch, WholeNumber } from '../../config/environment-rules';
import { addressOf, LONGEST_MODEL_NAME, PROVIDER_KINDS, type ProviderKind } from './port/provider-definition';
import { faultOfUrl, PROVIDER_ADDRESS_FAULTS, type ProviderAddressFault } from './providers/provider-address';

/** The provider named `default`, and the time limits of all providers. */
export class LlmConfig {
  /**
   * `demo` needs no network; `openai-compatible` is any server with `/chat/completions`. Default: the latter if
   * LLM_BASE_URL is set, the former otherwise.
   */
  @IsIn([...PROVIDER_KINDS, null], { message: `$property must be one of ${PROVIDER_KINDS.join(', ')}` })
  @Rule<LlmConfig>(
    (config) =>
      config.providerKind !== 'openai-compatible' || (config.LLM_BASE_URL !== null && config.LLM_MODEL !== null),
    'LLM_PROVIDER=openai-compatible needs LLM_BASE_URL and LLM_MODEL, as LLM_BASE_URL alone does',
  )
  @Rule<LlmConfig>(
    (config) => config.LLM_PROVIDER !== 'anthropic' || (config.LLM_API_KEY !== null && config.LLM_MODEL !== null),
    'LLM_PROVIDER=anthropic needs LLM_API_KEY and LLM_MODEL',
  )
  LLM_PROVIDER: ProviderKind | null = null;

  /**
   * Address of the provider's API up to and including its version, such as `https://api.openai.com/v1`. The full
   * address of the completions route, with a query, is used unchanged (Azure). Default for `anthropic`:
   * https://api.anthropic.com
   */
  @Address({
    schemes: ['http', 'https'],
    description: 'an http or https address',
    takesPassword: false,
    path: /^\//,
    parametersFault: () => null,
  })
  @Rule<LlmConfig>((config) => config.addressFault !== 'link_local', mustNotBe('link_local'))
  @Rule<LlmConfig>((config) => config.addressFault !== 'not_allowed', mustNotBe('not_allowed'))
  LLM_BASE_URL: string | null = null;

  /**
   * The only hosts that providers may have, separated by commas: hosts (`ollama`, `ollama:11434`), suffixes
   * (`.internal`), addresses or networks (`10.0.0.0/8`). Default: any. Link-local addresses are always refused.
   */
  @HostList()
  PROVIDER_ALLOWED_HOSTS: string[] | null = null;

  /** Ports of this machine on which administrators may search for Ollama, LM Studio and vLLM, in this order. */
  @Matches(/^(?:(?:6553[0-5]|655[0-2]\d|65[0-4]\d\d|6[0-4]\d{3}|[1-5]\d{4}|[1-9]\d{0,3})(?:,(?!$)|$)){3}$/, {
    message: '$property must be three ports, such as 11434,1234,8000',
  })
  LOCAL_MODEL_PORTS = '11434,1234,8000';

  /** Secret key for the provider; local servers often need none. */
  @ValidateIf((config: LlmConfig) => config.LLM_API_KEY !== null)
  @Matches(/^[\x21-\x7e]+$/, { message: '$property must be visible ASCII characters without blanks' })
  LLM_API_KEY: string | null = null;

  /** Model for agents that specify none. */
  @ValidateIf((config: LlmConfig) => config.LLM_MODEL !== null)
  @MaxLength(LONGEST_MODEL_NAME)
  @IsString()
  LLM_MODEL: string | null = null;

  /**
   * Tokens of prompt and reply together that a model accepts, unless its provider or the agent specifies another
   * number.
   */
  @WholeNumber(1_000, 100_000_000)
  LLM_CONTEXT_TOKENS = 64_000;

  /** Allows callers of third-party APIs to name a provider's model (`provider/model`) instead of an agent. */
  @Switch()
  OPENAI_PASS_THROUGH = false;

  /** Seconds from the start of an attempt to the model's first token. */
  @Seconds()
  LLM_FIRST_TOKEN_TIMEOUT = 30;

  /** Seconds between two tokens. */
  @Seconds()
  LLM_IDLE_TIMEOUT = 60;

  /** Seconds for a whole reply, including retries; an agent may set its own limit. */
  @Seconds()
  LLM_TOTAL_TIMEOUT = 300;

  get localModelPorts(): number[] {
    return this.LOCAL_MODEL_PORTS.split(',').map(Number);
  }

  /** The kind of the environment's provider. */
  get providerKind(): ProviderKind {
    return this.LLM_PROVIDER ?? (this.LLM_BASE_URL === null ? 'demo' : 'openai-compatible');
  }

  /**
   * Why the address of the environment's provider is refused, judged by the URL alone. The addresses of its name are
   * checked later.
   */
  get addressFault(): ProviderAddressFault | null {
    const kind = this.providerKind;
    const address = kind === 'demo' ? null : addressOf({ kind, baseUrl: this.LLM_BASE_URL });
    const hosts = this.PROVIDER_ALLOWED_HOSTS ?? [];
    // Other rules report malformed values.
    return address !== null && URL.canParse(address) && hosts.every((entry) => AllowedHosts.isEntry(entry))
      ? faultOfUrl(new URL(address), AllowedHosts.listed(hosts))
      : null;
  }
}

function mustNotBe(fault: ProviderAddressFault): string {
  return `LLM_BASE_URL must not be ${PROVIDER_ADDRESS_FAULTS[fault]}`;
}

/** A duration in seconds, at most a day; fractions are allowed. */
function Seconds(): PropertyDecorator {
  const message = '$property must be a number of seconds above 0, at most 86400';
  return applyDecorators(NumberFrom(/^\d+(\.\d+)?$/), IsPositive({ message }), Max(86_400, { message }));
}
