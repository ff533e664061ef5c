import { ToolError } from '../../../common/tools/tool.error';

/** What calling a tool throws when the call has certainly not been made this time, whatever became of it before. */
export class NotMadeError extends ToolError {}
