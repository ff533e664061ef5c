// One chunk of the build, because the pages compress far better together.
export { NewServer, Server } from '../../pages/admin/servers/server';
export { Servers } from '../../pages/admin/servers/servers';
