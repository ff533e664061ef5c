import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import * as v from 'valibot';
import { Feature } from '../../../common/features/feature.decorator';
import { AgentTool } from '../../../common/tools/agent-tool.decorator';
import { AgentTools } from '../../agent/agent.api';
import { ToolRegistry } from './tool-registry';

@Injectable()
class PrinterTools {
  @AgentTool({ name: 'print', description: 'Prints a page.', input: v.object({}) })
  print(): string {
    return 'Printed.';
  }
}

@Injectable()
class PressTools {
  @AgentTool({ name: 'print', description: 'Prints a book.', input: v.object({}) })
  print(): string {
    return 'Printed.';
  }
}

@Feature({ providers: [PrinterTools] })
class PrinterModule {}

@Feature({ providers: [PressTools] })
class PressModule {}

describe('ToolRegistry', () => {
  it('refuses a tool that two modules have, and names both with their files', async () => {
    const app = await Test.createTestingModule({
      imports: [PrinterModule, PressModule],
      providers: [ToolRegistry, { provide: AgentTools, useValue: { useDirectory: () => undefined } }],
    }).compile();
    await expect(app.init()).rejects.toThrow(
      `PressModule (${__filename}) has the tool print, which PrinterModule (${__filename}) has already. Rename one of them.`,
    );
  });
});
