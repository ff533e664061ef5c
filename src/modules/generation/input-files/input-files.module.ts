import { Module } from '@nestjs/common';
import { declareLocales } from '../../../common/i18n/locales';
import { OutboundHttpModule } from '../../../integrations/outbound-http/outbound-http.module';
import { InputFiles } from './input-files';
import { RemoteFiles } from './remote-files';

declareLocales(__dirname);

/** Images and files that requests name, whichever API they come by. Start with `InputFiles`. */
@Module({ imports: [OutboundHttpModule], providers: [InputFiles, RemoteFiles], exports: [InputFiles] })
export class InputFilesModule {}
