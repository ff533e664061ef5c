import { Injectable } from '@nestjs/common';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import { AgentDto, toAgentDto } from './agent.dto';
import type { Agent } from './agent.entity';

/** Shows agents, with what their models can be sent. */
@Injectable()
export class AgentView {
  private readonly shown = new WeakMap<Agent, AgentDto>();

  constructor(private readonly inputs: ModelInputs) {}

  of(agent: Agent): AgentDto {
    return toAgentDto(agent, this.inputs.of(agent));
  }

  /** The view of an agent of the catalogue, which nobody changes: it is made once and shared. Do not change it. */
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
