// Jest copies the globals of a worker into the sandbox of a file, and libraries keep there what classes of the service
// declare. A file that loads another build begins without them, and leaves none behind.
delete globalThis.typeormMetadataArgsStorage;
delete globalThis.classValidatorMetadataStorage;
