import { Injectable } from '@nestjs/common';
import { BUILD } from '../../../common/build-facts';
import { isSecretVariable, type Variable, Variables } from '../../../config/variables';
import { SettingsService } from '../../user/user.api';
import { LogLevelsService } from '../log-levels/log-levels.service';
import type { VariableDto } from './configuration.dto';
import { shownValue } from './shown-value';

/** The configuration of this instance, without secrets. */
@Injectable()
export class ConfigurationService {
  constructor(
    private readonly variables: Variables,
    private readonly settings: SettingsService,
    private readonly levels: LogLevelsService,
  ) {}

  async list(): Promise<VariableDto[]> {
    const overriding = await this.overridingValues();
    return shownVariables(this.variables.all).map((variable) => {
      const value = overriding.get(variable.name);
      return value === undefined ? variable : { ...variable, value, source: 'setting', is_set: true };
    });
  }

  /** The values of variables that administrators can override at run time. */
  private async overridingValues(): Promise<Map<string, string>> {
    const { mail_from, mcp_allowed_hosts } = await this.settings.get();
    const hosts = this.variables.all.find(({ name }) => name === 'MCP_ALLOWED_HOSTS')?.value;
    const values: [string, string | null][] = [
      ['MAIL_FROM', mail_from],
      ['MCP_ALLOWED_HOSTS', mcp_allowed_hosts.length > 0 ? [hosts, ...mcp_allowed_hosts].filter(Boolean).join() : null],
      ['LOG_LEVEL', this.levels.temporary],
    ];
    return new Map(values.filter((entry): entry is [string, string] => entry[1] !== null));
  }
}

/** The variables in a form without secrets, with that of the build. */
export function shownVariables(variables: readonly Variable[]): VariableDto[] {
  const shown = variables.map(({ name, value, source }) => ({
    name,
    value: shownValue(name, value),
    source,
    is_secret: isSecretVariable(name),
    is_set: source !== 'default',
  }));
  const built = {
    name: 'BUILD_COMMIT',
    value: BUILD.commit,
    source: 'default',
    is_secret: false,
    is_set: false,
  } as const;
  return [...shown, built].sort((one, other) => (one.name < other.name ? -1 : 1));
}
