import { createServer } from "node:net";

/**
 * Takes a name on this machine until the process ends, however it ends; false when another process has it. Only Linux
 * has such names (abstract sockets); elsewhere everybody gets every name.
 *
 * Source: https://man7.org/linux/man-pages/man7/unix.7.html
 */
export async function holdName(name: string): Promise<boolean> {
  if (process.platform !== "linux") return true;
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(`\0talaria-sidecar-${name}`, () => {
      server.unref();
      resolve(true);
    });
  });
}
