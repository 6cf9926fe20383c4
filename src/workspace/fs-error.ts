const REASONS = {
  ENOENT: "no such file or directory",
  EEXIST: "file already exists",
  ENOTDIR: "not a directory",
  EISDIR: "illegal operation on a directory",
  ENOTEMPTY: "directory not empty",
  EINVAL: "invalid argument",
  ELOOP: "too many symbolic links encountered",
  ENAMETOOLONG: "name too long",
  EROFS: "read-only file system",
  ENOSPC: "no space left on device",
  EFBIG: "file too large",
} as const;

export type FsErrorCode = keyof typeof REASONS;

/** What a file operation of the shell fails with, worded as Node words it: the shell's commands read the text. */
export class FsError extends Error {
  readonly code: FsErrorCode;

  constructor(code: FsErrorCode, operation: string, path: string) {
    super(`${code}: ${REASONS[code]}, ${operation} '${path}'`);
    this.name = "FsError";
    this.code = code;
  }
}
