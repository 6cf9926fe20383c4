/** Stands in Node for workerd's module `cloudflare:workers`: what is imported of it must be there, and is not used. */
export const exports = {};
export const WorkerEntrypoint = Object;
