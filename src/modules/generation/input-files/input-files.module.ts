import { Feature } from '../../../common/features/feature.decorator';
import { OutboundHttpModule } from '../../../integrations/outbound-http/outbound-http.module';
import { InputFiles, RemoteFiles } from './input-files';

/** Images and files in requests, for all APIs. Start with `InputFiles`. */
@Feature({
  folder: __dirname,
  imports: [OutboundHttpModule],
  providers: [InputFiles, RemoteFiles],
  exports: [InputFiles],
})
export class InputFilesModule {}
