import { Injectable } from '@nestjs/common';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import { AgentDto, toAgentDto } from './agent.dto';
import type { Agent } from './agent.entity';

/** Converts agents to DTOs, with the kinds of input that their models support. */
@Injectable()
export class AgentView {
  private readonly shown = new WeakMap<Agent, AgentDto>();

  constructor(private readonly inputs: ModelInputs) {}

  of(agent: Agent): AgentDto {
    return toAgentDto(agent, this.inputs.of(agent));
  }

  /** The DTO of an agent of the catalogue. It is created once and shared, so do not change it. */
  shared(agent: Agent): AgentDto {
    const input = this.inputs.of(agent);
    let dto = this.shown.get(agent);
    if (dto?.input !== input) {
      dto = toAgentDto(agent, input);
      this.shown.set(agent, dto);
    }
    return dto;
  }
}
