import { Injectable } from '@nestjs/common';
import { ProviderAdapters } from '../adapters/provider-adapters';
import { LlmConfig } from '../llm.config';
import { ProviderTargets } from './provider-targets';

/** Programs that run models on the user's own machine, in the order of `LOCAL_MODEL_PORTS`. */
export const LOCAL_PROGRAMS = ['ollama', 'lm_studio', 'vllm'] as const;
export type LocalProgram = (typeof LOCAL_PROGRAMS)[number];

/**
 * `found`: it lists models; `absent`: no such program answers there; `not_allowed`: the operator's list of hosts
 * excludes it.
 */
export const LOCAL_STATES = ['found', 'absent', 'not_allowed'] as const;
export type LocalState = (typeof LOCAL_STATES)[number];

/** The result for the usual port of one program. */
export interface LocalModels {
  program: LocalProgram;
  baseUrl: string;
  state: LocalState;
  /** Its models by name; empty unless it was found. */
  models: string[];
}

/** A program on this machine answers immediately, or is not running. */
const ANSWER_MILLISECONDS = 2_000;

/** Searches for programs with models on this machine: only at the loopback address, and only on request. */
@Injectable()
export class LocalModelSearch {
  constructor(
    private readonly config: LlmConfig,
    private readonly targets: ProviderTargets,
    private readonly adapters: ProviderAdapters,
  ) {}

  /** Checks all programs concurrently, for two seconds at most. */
  search(): Promise<LocalModels[]> {
    return Promise.all(LOCAL_PROGRAMS.map((program, index) => this.ask(program, this.config.localModelPorts[index])));
  }

  private async ask(program: LocalProgram, port: number | undefined): Promise<LocalModels> {
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    if (this.targets.refusalOf(new URL(baseUrl)) !== null) {
      return { program, baseUrl, state: 'not_allowed', models: [] };
    }
    const provider = this.adapters.create({
      name: program,
      kind: 'openai-compatible',
      baseUrl,
      apiKey: null,
      model: null,
      contextTokens: null,
      isDefault: false,
      isActive: true,
    });
    try {
      const models = await provider.listModels(AbortSignal.timeout(ANSWER_MILLISECONDS));
      return { program, baseUrl, state: 'found', models: [...new Set(models)].sort() };
    } catch {
      // A server that answers differently is not one of these programs.
      return { program, baseUrl, state: 'absent', models: [] };
    } finally {
      await provider.close();
    }
  }
}
