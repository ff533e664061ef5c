import { Injectable } from '@nestjs/common';
import { ProviderAdapters } from '../adapters/provider-adapters';
import { LlmConfig } from '../llm.config';
import { ProviderTargets } from './provider-targets';

/** Programs that run models on one's own machine, in the order of `LOCAL_MODEL_PORTS`. */
export const LOCAL_PROGRAMS = ['ollama', 'lm_studio', 'vllm'] as const;
export type LocalProgram = (typeof LOCAL_PROGRAMS)[number];

/** `found`: it lists models; `absent`: nothing there does; `not_allowed`: the operator's list of hosts leaves it out. */
export const LOCAL_STATES = ['found', 'absent', 'not_allowed'] as const;
export type LocalState = (typeof LOCAL_STATES)[number];

/** What is at the usual port of one program. */
export interface LocalModels {
  program: LocalProgram;
  baseUrl: string;
  state: LocalState;
  /** What it lists, by name; empty unless it was found. */
  models: string[];
}

/** A program on this machine answers at once, or is not there. */
const ANSWER_MILLISECONDS = 2_000;

/** Looks for programs with models on this machine: at the loopback address alone, and only when it is asked to. */
@Injectable()
export class LocalModelSearch {
  constructor(
    private readonly config: LlmConfig,
    private readonly targets: ProviderTargets,
    private readonly adapters: ProviderAdapters,
  ) {}

  /** All programs, at the same time, for two seconds at most. */
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
      // Whatever answers there in another way is not one of these programs.
      return { program, baseUrl, state: 'absent', models: [] };
    } finally {
      await provider.close();
    }
  }
}
