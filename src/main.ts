import './process/print-version';
import './process/young-generation';
import 'reflect-metadata';
import { endWithReason } from './process/end-with-reason';
import { releaseYoungGeneration, returnMemoryOfStart } from './process/young-generation';
import { startService } from './start-service';

async function main(): Promise<void> {
  await startService();
  returnMemoryOfStart();
  releaseYoungGeneration();
}

main().catch(endWithReason);
