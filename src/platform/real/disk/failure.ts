// What the operating system says of a failed file operation, as the program tells it: a code, and what to do.

import { DiskError, type DiskErrorCode } from '../../storage/disk.ts'

const codeTable: Record<string, readonly [DiskErrorCode, string]> = {
  ENOENT: ['disk-not-found', 'it does not exist.'],
  EEXIST: ['disk-already-exists', 'it exists already.'],
  ENOSPC: ['disk-full', 'the disk is full. Free some room on it.'],
  EDQUOT: ['disk-full', 'the quota is used up. Free some room or raise the quota.'],
  EROFS: ['disk-read-only', 'the disk is mounted read-only. Mount it for writing or choose another folder.'],
  EACCES: [
    'disk-not-permitted',
    'not permitted. Let this user read and write there, or choose another folder.',
  ],
  EPERM: [
    'disk-not-permitted',
    'not permitted. Let this user read and write there, or choose another folder.',
  ],
  EIO: ['disk-failure', 'the disk failed. Check its cables and health (its SMART values, the system log).'],
}

/** The DiskError that this error stands for; an error that is not the operating system's comes back as it is. */
export function asDiskError(path: string, what: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (error instanceof DiskError || typeof code !== 'string' || syscall === undefined) return error
  const [diskCode, advice] = codeTable[code] ?? ['disk-failure', `${(error as Error).message}.`]
  return new DiskError(diskCode, path, `Cannot ${what} ${path}: ${advice}`, error)
}
