// One file of the built console: together they compress far better than one by one.
export { NewServer, Server } from '../../pages/admin/servers/server';
export { Servers } from '../../pages/admin/servers/servers';
