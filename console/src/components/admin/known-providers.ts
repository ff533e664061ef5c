import type { CreateProviderDto } from 'chat-service-client';

/** A provider whose address and protocol are known. */
export interface KnownProvider {
  /** Name of the provider in the service, unless it is taken. */
  id: string;
  label: string;
  kind: CreateProviderDto['kind'];
  /** Null: the address that the protocol implies. */
  base_url: string | null;
  /** Whether it runs on a machine of the administrator, and needs no key. */
  isLocal?: boolean;
}

const compatible = (id: string, label: string, base_url: string, isLocal = false): KnownProvider => ({
  id,
  label,
  kind: 'openai-compatible',
  base_url,
  isLocal,
});

export function knownProviders(): KnownProvider[] {
  return [
    compatible('openai', 'OpenAI', 'https://api.openai.com/v1'),
    { id: 'anthropic', label: 'Anthropic', kind: 'anthropic', base_url: null },
    compatible('google', 'Google', 'https://generativelanguage.googleapis.com/v1beta/openai'),
    compatible('mistral', 'Mistral', 'https://api.mistral.ai/v1'),
    compatible('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1'),
    compatible('ollama', 'Ollama', 'http://127.0.0.1:11434/v1', true),
    compatible('lm-studio', 'LM Studio', 'http://127.0.0.1:1234/v1', true),
    compatible('vllm', 'vLLM', 'http://127.0.0.1:8000/v1', true),
  ];
}
